import { AuditEntry, NodeGroup, Policy } from '../../api/models';
import { ruleOf, RULES } from './policydraft';
import { spanOf } from './formvalues';

/** Amounts that are kept as milli-GPU. */
const AMOUNTS = ['quota', 'weight', 'limit'];
/** Times that are kept as seconds. */
const SPANS = ['grace', 'min_runtime', 'interactive_duration'];

/** Return briefly what a change replaced and by what: only what differs. */
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

/** Return the fields of a JSON object; none for an empty text, undefined for anything else. */
function fieldsOf(text: string): Record<string, unknown> | undefined {
  if (!text) {
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value)
      ? byName(value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the caller shows it as it stands
  }
}

/** Node groups are set all at once, as is the policy: only what differs is to be seen. */
function byName(fields: Record<string, unknown>): Record<string, unknown> {
  const { items, levels } = fields;
  if (Array.isArray(levels)) {
    return byRule(fields as unknown as Policy);
  }
  return Array.isArray(items)
    ? Object.fromEntries(
        (items as NodeGroup[]).map(({ name, ...group }) => [name, group])
      )
    : fields;
}

function byRule({
  exemptions,
  levels
}: Pick<Policy, 'levels' | 'exemptions'>): Record<string, string> {
  const rules = levels.flatMap(({ level, rules }) =>
    RULES.map(rule => [`${level} ${rule}`, ruleOf(rules, rule)])
  );
  const exempt = exemptions.map(({ reason, until, who }) => [
    `exempt ${who}`,
    `${until}, ${reason}`
  ]);
  return Object.fromEntries(
    [...rules, ...exempt].filter(([, value]) => value)
  ) as Record<string, string>;
}

function valueOf(name: string, value: unknown): string {
  if (AMOUNTS.includes(name) && typeof value === 'number') {
    return String(value / 1000);
  }
  if (SPANS.includes(name) && typeof value === 'number') {
    return spanOf(value) || '0';
  }
  return wordsOf(value) || (name === 'weight' ? 'as quota' : 'none');
}

/** Write a value as it would be typed, empty for nothing. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(wordsOf).join(', ');
  }
  if (value && typeof value === 'object') {
    return Object.entries(value)
      .map(([name, inner]) => [name, wordsOf(inner)])
      .filter(([, text]) => text)
      .map(([name, text]) => `${name} ${text}`)
      .join('; ');
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  return value === null || value === undefined ? '' : String(value);
}
