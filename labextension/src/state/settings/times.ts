const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

/** Return whether a text is a time as date pickers write it, without a zone. */
export function isLocalTime(text: string): boolean {
  return LOCAL.test(text);
}

/** Write a time as date pickers do, in the zone of the browser: `2026-03-01T18:00`. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  time.setMinutes(time.getMinutes() - time.getTimezoneOffset());
  return time.toISOString().slice(0, 16);
}

/** Return the time that was picked with its zone; anything else as it was typed. */
export function instantOf(text: string): string {
  const typed = text.trim();
  return isLocalTime(typed) ? new Date(typed).toISOString() : typed;
}
