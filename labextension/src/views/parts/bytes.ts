import { language } from '../../translation';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Render bytes in binary units, as sizes are typed: 1572864 -> `1.5 MiB`. */
export function bytesText(bytes: number): string {
  let power = 0;
  let value = bytes;
  while (Math.round(value) >= 1024 && power < UNITS.length - 1) {
    value /= 1024;
    power += 1;
  }
  const digits = { maximumFractionDigits: power && value < 9.95 ? 1 : 0 };
  return `${value.toLocaleString(language(), digits)} ${UNITS[power]}`;
}
