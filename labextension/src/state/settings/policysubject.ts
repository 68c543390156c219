import {
  ChangePreview,
  Exemption,
  Policy,
  PolicyLevel,
  PolicyRequest
} from '../../api/models';
import { IAdministration } from '../../tokens';
import {
  LEVEL_FIELDS,
  LevelField,
  NO_RULES,
  readLevel,
  toLevelDraft,
  toPolicyRequest
} from './policydraft';
import { latest } from '../resource';
import { instantOf, localTime } from './times';
import { ISubject } from './settingmodel';

/** A level among all of them, which are set together; without a level, a new one. */
export interface ILevelBase {
  readonly policy: Policy;
  readonly level?: PolicyLevel;
}

export type ExemptionField = 'who' | 'until' | 'reason';

/** An exemption among all of them; without an exemption, a new one. */
export interface IExemptionBase {
  readonly policy: Policy;
  readonly exemption?: Exemption;
}

/** The levels of the policy, changed one at a time. */
export function levelSubject(
  administration: IAdministration
): ISubject<LevelField, ILevelBase> {
  return {
    fields: LEVEL_FIELDS,
    isThere: ({ level }) => !!level,
    draftOf: ({ level }) =>
      toLevelDraft(level?.level ?? '', level?.rules ?? NO_RULES),
    read: (draft, base) => {
      const policy = toPolicyRequest(base.policy);
      const place = placeOfLevel(base);
      const before = base.level?.rules ?? NO_RULES;
      const { request, isEmpty } = readLevel(draft, before);
      // A level without rules is removed.
      policy.levels.splice(
        place,
        1,
        ...(isEmpty && base.level ? [] : [request])
      );
      return { policy };
    },
    fieldOf: (wire, base) => {
      const [, index, field] =
        /^levels\[(\d+)\]\.(?:rules\.)?(\w+)/.exec(wire) ?? [];
      const isOurs = Number(index) === placeOfLevel(base);
      return isOurs ? LEVEL_FIELDS.find(name => name === field) : undefined;
    },
    find: async draft => {
      const policy = await latest(administration.policy);
      const name = draft.level.trim();
      return { policy, level: levelOf(policy, name) };
    },
    ...sending(administration)
  };
}

/** Exemptions, changed one at a time. */
export function exemptionSubject(
  administration: IAdministration
): ISubject<ExemptionField, IExemptionBase> {
  return {
    fields: ['who', 'until', 'reason'],
    isThere: ({ exemption }) => !!exemption,
    draftOf: ({ exemption }) => ({
      who: exemption?.who ?? '',
      until: exemption ? localTime(exemption.until) : '',
      reason: exemption?.reason ?? ''
    }),
    read: (draft, base) => {
      const policy = toPolicyRequest(base.policy);
      policy.exemptions[placeOfExemption(base)] = {
        who: draft.who.trim(),
        until: untilOf(draft.until, base.exemption),
        reason: draft.reason.trim()
      };
      return { policy };
    },
    fieldOf: (wire, base) => {
      const [, index, field] =
        /^exemptions\[(\d+)\]\.(who|until|reason)$/.exec(wire) ?? [];
      return Number(index) === placeOfExemption(base)
        ? (field as ExemptionField)
        : undefined;
    },
    find: async (_, { exemption }) => {
      const policy = await latest(administration.policy);
      return {
        policy,
        exemption:
          exemption && policy.exemptions.find(item => isSame(item, exemption))
      };
    },
    ...sending(administration)
  };
}

/** Return a level of a policy; `everyone` is always there, though it may set nothing. */
export function levelOf(policy: Policy, name: string): PolicyLevel | undefined {
  const found = policy.levels.find(({ level }) => level === name);
  const isFirst = name === 'everyone';
  return found ?? (isFirst ? { level: name, rules: NO_RULES } : undefined);
}

/** Return what asks for a policy without one of its levels. */
export function withoutLevel({ level, policy }: ILevelBase): PolicyRequest {
  const request = toPolicyRequest(policy);
  const levels = request.levels.filter(item => item.level !== level?.level);
  return { ...request, levels };
}

/** Return what asks for a policy without one of its exemptions. */
export function withoutExemption(base: IExemptionBase): PolicyRequest {
  const request = toPolicyRequest(base.policy);
  const place = placeOfExemption(base);
  return {
    ...request,
    exemptions: request.exemptions.filter((_, index) => index !== place)
  };
}

/** Return what a policy would have done over the last week, as the effect of a change. */
export async function previewPolicy(
  administration: IAdministration,
  request: PolicyRequest
): Promise<ChangePreview> {
  const { text } = await administration.previewPolicy(request);
  return { message: text, projects: [], sessions: [], warnings: [] };
}

/** What both subjects do with the policy that they have read. */
function sending(
  administration: IAdministration
): Pick<ISubject<never, never>, 'preview' | 'put'> {
  return {
    preview: ({ policy }) => previewPolicy(administration, policy ?? {}),
    put: ({ policy }) => administration.putPolicy(policy ?? {})
  };
}

function placeOfLevel({ level, policy }: ILevelBase): number {
  const found = policy.levels.findIndex(item => item.level === level?.level);
  return found < 0 ? policy.levels.length : found;
}

function placeOfExemption({ exemption, policy }: IExemptionBase): number {
  const found = exemption
    ? policy.exemptions.findIndex(item => isSame(item, exemption))
    : -1;
  return found < 0 ? policy.exemptions.length : found;
}

/** Return the end that was typed; one that was left as it is keeps its seconds. */
function untilOf(text: string, before?: Exemption): string {
  return before && text === localTime(before.until)
    ? before.until
    : instantOf(text);
}

function isSame(one: Exemption, other: Exemption): boolean {
  return (
    one.who === other.who &&
    one.until === other.until &&
    one.reason === other.reason
  );
}
