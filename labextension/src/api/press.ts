/**
 * The most milliseconds that a press lasts. Longer are selections and drags, and those whose end no
 * page hears of, as on a scroll bar.
 */
const LONGEST = 2000;

let press: Promise<void> | undefined;

/**
 * Resolves at once; while a pointer is down, after the click that comes of it.
 *
 * What is drawn meanwhile moves what was pressed from below the pointer: browsers then send the click
 * to what contains both places, and the button does nothing.
 */
export async function released(): Promise<void> {
  await press;
}

window.addEventListener(
  'pointerdown',
  () => {
    press ??= new Promise(resolve => {
      const end = () => {
        press = undefined;
        resolve();
      };
      window.setTimeout(end, LONGEST);
      // The click is part of the same task.
      const onEnd = () => window.setTimeout(end);
      for (const kind of ['pointerup', 'pointercancel']) {
        window.addEventListener(kind, onEnd, { capture: true, once: true });
      }
    });
  },
  true
);
