import { TranslationBundle } from '@jupyterlab/translation';
import {
  FieldProblem,
  Policy,
  PolicyLevel,
  PolicyLevelRequest,
  PolicyRequest,
  PolicyRules,
  PolicyRulesRequest,
  QuietHoursRequest,
  RuleName
} from '../../api/models';
import { Known } from '../../api/vocabulary';
import { canonicalSpan } from '../numbers';
import { Draft } from './settingmodel';
import { boxOf, spanOf, YES } from './formvalues';

/** A rule that this version can set. */
export type Rule = Known<RuleName>;
/** Whether stronger levels must not set a rule. */
export type Lock = `lock_${Rule}`;
export type LevelField = 'level' | Rule | Lock;

/** In the order of the form. */
export const RULES: readonly Rule[] = [
  'idle_timeout',
  'action',
  'warn_before',
  'idle_timeout_min',
  'idle_timeout_max',
  'gpu_idle_timeout',
  'gpu_idle_action',
  'keep_alive',
  'keep_alives',
  'quiet_hours',
  'grace',
  'interactive_life',
  'train_life',
  'cpu_busy',
  'gpu_busy'
];
/** Those that are no length of time. */
const PLAIN: ReadonlySet<Rule> = new Set([
  'action',
  'gpu_idle_action',
  'keep_alives',
  'cpu_busy',
  'gpu_busy'
]);

/** Return the field that locks a rule. */
export function lockOf(rule: Rule): Lock {
  return `lock_${rule}`;
}

/** In the order of the form: each rule, then its lock. */
export const LEVEL_FIELDS: readonly LevelField[] = [
  'level',
  ...RULES.flatMap((rule): LevelField[] => [rule, lockOf(rule)])
];

/** Rules of which none is set. */
export const NO_RULES: PolicyRules = {
  ...(Object.fromEntries(RULES.map(rule => [rule, null])) as Record<
    Rule,
    null
  >),
  locked: []
};

/** Write a rule as an admin types it; empty where it is left to weaker levels. */
export function ruleOf(rules: PolicyRules, rule: Rule): string {
  if (rule === 'quiet_hours') {
    const hours = rules.quiet_hours;
    return hours ? hours.map(quietOf).join('; ') || 'none' : '';
  }
  const value = rules[rule] ?? null; // the audit log may have less
  if (value === null) {
    return '';
  }
  return typeof value === 'string' || PLAIN.has(rule)
    ? String(value)
    : spanOf(value) || '0';
}

/** Return the weaker level from which a level has a rule that it does not set. */
export function inherited(
  { built_in, levels }: Policy,
  level: string,
  rule: Rule
): PolicyLevel {
  const everyone = levels.find(each => each.level === 'everyone');
  const isSet = everyone && (everyone.rules[rule] ?? null) !== null;
  return level !== 'everyone' && isSet
    ? everyone
    : { level: 'built-in', rules: built_in };
}

/** Write a level as it is typed. */
export function toLevelDraft(
  level: string,
  rules: PolicyRules
): Draft<LevelField> {
  return {
    level,
    ...(Object.fromEntries(
      RULES.flatMap(rule => [
        [rule, ruleOf(rules, rule)],
        [lockOf(rule), boxOf(rules.locked.includes(rule))]
      ])
    ) as Record<Rule | Lock, string>)
  };
}

/** Read a level; what is wrong with its quiet hours is said here, the rest by the server. */
export function readLevel(
  draft: Draft<LevelField>,
  trans: TranslationBundle
): {
  request: PolicyLevelRequest;
  isEmpty: boolean;
  problems: FieldProblem[];
} {
  const set = RULES.filter(
    rule => rule !== 'quiet_hours' && draft[rule].trim()
  );
  const { hours, problem } = readQuiet(draft.quiet_hours, trans);
  // What is not set here cannot be locked here.
  const locked = RULES.filter(
    rule => draft[lockOf(rule)] === YES && draft[rule].trim()
  );
  const rules: PolicyRulesRequest = {
    ...Object.fromEntries(
      set.map(rule => [
        rule,
        PLAIN.has(rule) ? draft[rule].trim() : canonicalSpan(draft[rule])
      ])
    ),
    ...(hours ? { quiet_hours: hours } : {}),
    locked
  };
  return {
    request: { level: draft.level.trim(), rules },
    isEmpty: !set.length && !draft.quiet_hours.trim(),
    problems: problem
      ? [{ field: 'quiet_hours', message: problem, hint: '' }]
      : []
  };
}

/** Return what asks for a policy as it is, to be changed in part. */
export function toPolicyRequest(policy: Policy): Required<PolicyRequest> {
  return {
    levels: policy.levels.map(({ level, rules }) => ({
      level,
      rules: { ...rules, quiet_hours: rules.quiet_hours?.map(toQuiet) ?? null }
    })),
    exemptions: policy.exemptions.map(exemption => ({ ...exemption })),
    revision: policy.revision
  };
}

type QuietHours = NonNullable<PolicyRules['quiet_hours']>[number];

function clockOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function toQuiet({ begin, end, ...rest }: QuietHours): QuietHoursRequest {
  return { ...rest, begin: clockOf(begin), end: clockOf(end) };
}

function quietOf({ begin, days, end, idle_timeout, zone }: QuietHours): string {
  const when = `${days.join(',') || 'daily'} ${clockOf(begin)}-${clockOf(end)}`;
  return `${when} ${zone}: ${spanOf(idle_timeout)}`;
}

const QUIET =
  /^\s*(?:(daily|[a-z,]+)\s+)?([\d:]+)-([\d:]+)\s+([^\s:]+)\s*:\s*(\S.*?)\s*$/;

function readQuiet(
  text: string,
  trans: TranslationBundle
): { hours?: QuietHoursRequest[]; problem?: string } {
  if (!text.trim()) {
    return {};
  }
  const parts = text.trim() === 'none' ? [] : text.split(';');
  const hours: QuietHoursRequest[] = [];
  for (const part of parts) {
    const found = QUIET.exec(part);
    if (!found) {
      return {
        problem: trans.__(
          '“%1” is not a valid list of quiet hours. Example: daily 22:00-06:00 Europe/Berlin: 20m. Enter none for no quiet hours.',
          part.trim()
        )
      };
    }
    const [, days = 'daily', begin, end, zone, idle_timeout] = found;
    hours.push({
      days: days === 'daily' ? [] : days.split(','),
      begin,
      end,
      zone,
      idle_timeout: canonicalSpan(idle_timeout)
    });
  }
  return { hours };
}
