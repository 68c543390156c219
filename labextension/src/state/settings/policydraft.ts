import {
  Exemption,
  Policy,
  PolicyLevel,
  PolicyRules,
  PolicyRulesRequest,
  RuleName
} from '../../api/models';
import { Known } from '../../api/vocabulary';
import { canonicalSpan } from '../numbers';
import { spanOf } from './formvalues';
import { instantOf, localTime } from './times';

/** A rule that this version can set. */
export type Rule = Known<RuleName>;
/** The rules that the form has; the others are set in the quota file and the shell. */
export type FormRule = 'idle_timeout' | 'action' | 'warn_before';
export type LevelField = 'level' | FormRule;
export type ExemptionField = 'who' | 'until' | 'reason';

/** In the order of the form. */
export const FORM_RULES: readonly FormRule[] = [
  'idle_timeout',
  'action',
  'warn_before'
];
/** In the order in which they are shown. */
export const RULES: readonly Rule[] = [
  ...FORM_RULES,
  'idle_timeout_min',
  'idle_timeout_max',
  'gpu_idle_timeout',
  'gpu_idle_action',
  'keep_alive',
  'keep_alives',
  'grace',
  'interactive_life',
  'train_life',
  'cpu_busy',
  'gpu_busy',
  'io_busy'
];
/** Those that are no length of time. */
const PLAIN: ReadonlySet<Rule> = new Set([
  'action',
  'gpu_idle_action',
  'keep_alives',
  'cpu_busy',
  'gpu_busy',
  'io_busy'
]);

/** Rules of which none is set. */
export const NO_RULES = Object.fromEntries(
  RULES.map(rule => [rule, null])
) as Record<Rule, null>;

/** Write a rule as an admin types it; empty where it is left to weaker levels. */
export function ruleOf(rules: PolicyRules, rule: Rule): string {
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

/** Write what the form has of a level as it is typed. */
export function toLevelDraft(
  level: PolicyLevel | undefined
): Record<LevelField, string> {
  const rules = level?.rules ?? NO_RULES;
  return {
    level: level?.level ?? '',
    idle_timeout: ruleOf(rules, 'idle_timeout'),
    action: ruleOf(rules, 'action'),
    warn_before: ruleOf(rules, 'warn_before')
  };
}

/** Read the rules of a level; those that the form does not have stay as they were. */
export function readRules(
  draft: Readonly<Record<LevelField, string>>,
  before: PolicyRules
): PolicyRulesRequest {
  return {
    ...before,
    idle_timeout: canonicalSpan(draft.idle_timeout) || null,
    action: draft.action || null,
    warn_before: canonicalSpan(draft.warn_before) || null
  };
}

/** Write an exemption as it is typed. */
export function toExemptionDraft(
  exemption: Exemption | undefined
): Record<ExemptionField, string> {
  return {
    who: exemption?.who ?? '',
    until: exemption ? localTime(exemption.until) : '',
    reason: exemption?.reason ?? ''
  };
}

/** Return the end that was typed; one that was left as it is keeps its seconds. */
export function untilOf(text: string, before?: Exemption): string {
  return before && text === localTime(before.until)
    ? before.until
    : instantOf(text);
}
