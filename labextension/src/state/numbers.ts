import { language } from '../translation';
import { spanOf } from './settings/formvalues';

const SECONDS: Record<string, number> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** Return what separates whole numbers from fractions in the user's language: `,` in German. */
function separator(): string {
  return (
    new Intl.NumberFormat(language())
      .formatToParts(0.5)
      .find(({ type }) => type === 'decimal')?.value ?? '.'
  );
}

/** Return a number as the user writes it: `0,5` in German. */
export function typedNumber(value: number): string {
  return String(value).replace('.', separator());
}

/** Return what the user typed with the decimal points that the server reads: `0,5` as `0.5`. */
export function canonicalNumber(text: string): string {
  const trimmed = text.trim();
  const [whole, fraction, ...rest] = trimmed.split(separator());
  return fraction === undefined || rest.length
    ? trimmed
    : `${whole || '0'}.${fraction}`;
}

/** Return a typed duration without fractions, which the server does not read: `1,5h` as `1h30m`. */
export function canonicalSpan(text: string): string {
  const [, amount, unit] =
    /^(\d*\.\d+)\s*([dhms])$/.exec(canonicalNumber(text)) ?? [];
  const exact = unit ? Number(amount) * SECONDS[unit] : 0;
  // 0 would stand for never.
  const seconds = exact ? Math.max(1, Math.round(exact)) : 0;
  return unit ? spanOf(seconds) || '0' : text.trim();
}
