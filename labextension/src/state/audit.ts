import { AuditEntry } from '../api/models';

/** Amounts that are kept as milli-GPU. */
const AMOUNTS = ['quota', 'weight', 'limit'];

/** Say in short what was there before a change and after it: only what differs. */
export function differenceOf(
  entry: Pick<AuditEntry, 'before' | 'after'>
): Record<'before' | 'after', string> {
  const before = fieldsOf(entry.before);
  const after = fieldsOf(entry.after);
  if (!before || !after) {
    return { before: entry.before, after: entry.after };
  }
  const names = [
    ...new Set([...Object.keys(before), ...Object.keys(after)])
  ].filter(
    name =>
      name !== 'revision' &&
      JSON.stringify(before[name]) !== JSON.stringify(after[name])
  );
  const write = (fields: Record<string, unknown>) =>
    names
      .filter(name => name in fields)
      .map(name => `${name}: ${valueOf(name, fields[name])}`)
      .join('\n');
  return { before: write(before), after: write(after) };
}

/** Read the fields of something kept as JSON; none for nothing, undefined for what is no object. */
function fieldsOf(text: string): Record<string, unknown> | undefined {
  if (!text) {
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the caller shows it as it stands
  }
}

function valueOf(name: string, value: unknown): string {
  if (AMOUNTS.includes(name) && typeof value === 'number') {
    return String(value / 1000);
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
