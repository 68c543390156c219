import { language } from '../translation';

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

/** Return a typed duration with the decimal points that the server reads: `1,5 h` as `1.5 h`. */
export function canonicalSpan(text: string): string {
  const decimal = new RegExp(`(\\d)[${separator()}](?=\\d)`, 'g');
  return text.trim().replace(decimal, '$1.');
}
