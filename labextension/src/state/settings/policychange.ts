import { ApiError, asApiError } from '../../api/errors';
import {
  Exemption,
  Policy,
  PolicyLevel,
  PolicyRequest
} from '../../api/models';
import { IAdministration } from '../../tokens';
import {
  ExemptionField,
  LevelField,
  NO_RULES,
  readRules,
  untilOf
} from './policydraft';

/** A level among all of them, which are set together; without a level, a new one. */
export interface ILevelBase {
  readonly policy: Policy;
  readonly level?: PolicyLevel;
}

/** An exemption among all of them; without an exemption, a new one. */
export interface IExemptionBase {
  readonly policy: Policy;
  readonly exemption?: Exemption;
}

/** Return a level of a policy; `everyone` is always there, though it may set nothing. */
export function levelOf(policy: Policy, name: string): PolicyLevel | undefined {
  const found = policy.levels.find(({ level }) => level === name);
  const isFirst = name === 'everyone';
  return found ?? (isFirst ? { level: name, rules: NO_RULES } : undefined);
}

/** Return what asks for a policy with a level as it was typed; one without rules is removed. */
export function withLevel(
  { level, policy }: ILevelBase,
  draft: Readonly<Record<LevelField, string>>
): PolicyRequest {
  const rules = readRules(draft, level?.rules ?? NO_RULES);
  const isEmpty = Object.values(rules).every(value => value === null);
  const item = { level: draft.level.trim(), rules };
  const items = isEmpty && level ? [] : [item];
  return {
    ...requestOf(policy),
    levels: replaced(policy.levels, level, items)
  };
}

/** Return what asks for a policy without one of its levels. */
export function withoutLevel({ level, policy }: ILevelBase): PolicyRequest {
  return { ...requestOf(policy), levels: replaced(policy.levels, level, []) };
}

/** Return what asks for a policy with an exemption as it was typed. */
export function withExemption(
  { exemption, policy }: IExemptionBase,
  draft: Readonly<Record<ExemptionField, string>>
): PolicyRequest {
  const item = {
    who: draft.who.trim(),
    until: untilOf(draft.until, exemption),
    reason: draft.reason.trim()
  };
  const exemptions = replaced(policy.exemptions, exemption, [item]);
  return { ...requestOf(policy), exemptions };
}

/** Return what asks for a policy without one of its exemptions. */
export function withoutExemption(base: IExemptionBase): PolicyRequest {
  const { exemption, policy } = base;
  return {
    ...requestOf(policy),
    exemptions: replaced(policy.exemptions, exemption, [])
  };
}

/** Set the policy; problems of one item are those of its fields. Throws ApiError. */
export async function putPolicy(
  administration: IAdministration,
  request: PolicyRequest,
  list: 'levels' | 'exemptions',
  place: number
): Promise<void> {
  try {
    await administration.putPolicy(request);
  } catch (thrown) {
    const error = asApiError(thrown);
    const { code, hint, message, status } = error;
    const own = new RegExp(`^${list}\\[${place}\\]\\.(rules\\.)?`);
    const fields = error.fields.map(problem => ({
      ...problem,
      field: problem.field.replace(own, '')
    }));
    throw new ApiError({ code, fields, hint, message }, status);
  }
}

/** Return what asks for a policy as it is. */
function requestOf({ exemptions, levels, revision }: Policy): PolicyRequest {
  return { exemptions, levels, revision };
}

/** Return where an item is in a list, or will be. */
export function placeOf<T>(items: readonly T[], item: T | undefined): number {
  const found = items.findIndex(each => each === item);
  return found < 0 ? items.length : found;
}

function replaced<T, Request>(
  items: readonly T[],
  item: T | undefined,
  by: readonly Request[]
): (T | Request)[] {
  const place = placeOf(items, item);
  return [...items.slice(0, place), ...by, ...items.slice(place + 1)];
}
