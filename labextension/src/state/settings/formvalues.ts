/** Write seconds as the longest units that say them exactly: `8h`, `1h30m`; nothing for 0. */
export function spanOf(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's']
  ];
  return parts
    .filter(([count]) => count)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
}

/** Read names between commas or spaces. */
export function namesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** What stands in a draft for a box that is ticked, and for one that is not. */
export const YES = 'yes';
export const NO = 'no';

/** Write a box of a form. */
export function boxOf(ticked: boolean | undefined): string {
  return ticked ? YES : NO;
}
