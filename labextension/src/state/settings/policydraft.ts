import {
  Policy,
  PolicyLevel,
  PolicyLevelRequest,
  PolicyRequest,
  PolicyRules,
  PolicyRulesRequest,
  RuleName
} from '../../api/models';
import { Known } from '../../api/vocabulary';
import { canonicalSpan } from '../numbers';
import { Draft } from './settingmodel';
import { spanOf } from './formvalues';

/** A rule that this version can set. */
export type Rule = Known<RuleName>;
/** The rules that the form has; the others are set in the quota file and the shell. */
export type FormRule = 'idle_timeout' | 'action' | 'warn_before';
export type LevelField = 'level' | FormRule;

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

/** In the order of the form. */
export const LEVEL_FIELDS: readonly LevelField[] = ['level', ...FORM_RULES];

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
  level: string,
  rules: PolicyRules
): Draft<LevelField> {
  return {
    level,
    ...(Object.fromEntries(
      FORM_RULES.map(rule => [rule, ruleOf(rules, rule)])
    ) as Record<FormRule, string>)
  };
}

/** Read a level; rules that the form does not have stay as they were. */
export function readLevel(
  draft: Draft<LevelField>,
  before: PolicyRules
): { request: PolicyLevelRequest; isEmpty: boolean } {
  const typed = FORM_RULES.map(rule => [rule, readRule(rule, draft[rule])]);
  const rules: PolicyRulesRequest = {
    ...before,
    ...Object.fromEntries(typed)
  };
  return {
    request: { level: draft.level.trim(), rules },
    isEmpty: Object.values(rules).every(value => value === null)
  };
}

function readRule(rule: FormRule, text: string): string | null {
  if (!text.trim()) {
    return null;
  }
  return PLAIN.has(rule) ? text.trim() : canonicalSpan(text);
}

/** Return what asks for a policy as it is, to be changed in part. */
export function toPolicyRequest(policy: Policy): Required<PolicyRequest> {
  return {
    levels: [...policy.levels],
    exemptions: [...policy.exemptions],
    revision: policy.revision
  };
}
