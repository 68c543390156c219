import { language } from '../../translation';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Render bytes: 1200000 -> `1.2 MB`. */
export function bytesText(bytes: number): string {
  let power = 0;
  let value = bytes;
  while (Math.round(value) >= 1000 && power < UNITS.length - 1) {
    value /= 1000;
    power += 1;
  }
  const digits = { maximumFractionDigits: power && value < 9.95 ? 1 : 0 };
  return `${value.toLocaleString(language(), digits)} ${UNITS[power]}`;
}
