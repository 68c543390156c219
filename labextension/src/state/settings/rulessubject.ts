import { Rules } from '../../api/models';
import { IAdministration } from '../../tokens';
import { canonicalSpan } from '../numbers';
import { latest } from '../resource';
import { Draft, ISubject } from './settingmodel';
import { boxOf, spanOf, YES } from './formvalues';

export type RulesField = 'grace' | 'minimum' | 'consolidate';

/** The rules of all projects; the base is the rules that are changed. */
export function rulesSubject(
  administration: IAdministration
): ISubject<RulesField, Rules> {
  return {
    fields: ['grace', 'minimum', 'consolidate'],
    isThere: () => true,
    draftOf: toRulesDraft,
    read: (draft, { revision }) => ({
      change: {
        rules: {
          grace: canonicalSpan(draft.grace) || 0,
          min_runtime: canonicalSpan(draft.minimum) || 0,
          consolidate: draft.consolidate === YES,
          revision
        }
      },
      problems: []
    }),
    fieldOf: rulesFieldOf,
    find: () => latest(administration.rules),
    preview: change => administration.preview(change),
    put: ({ rules }) => administration.putRules(rules ?? {})
  };
}

function toRulesDraft(rules: Rules): Draft<RulesField> {
  return {
    grace: spanOf(rules.grace),
    minimum: spanOf(rules.min_runtime),
    consolidate: boxOf(rules.consolidate)
  };
}

/** A preview says `rules.grace`, the change itself `grace`. */
function rulesFieldOf(wire: string): RulesField | undefined {
  const fields: Record<string, RulesField> = {
    grace: 'grace',
    min_runtime: 'minimum',
    consolidate: 'consolidate'
  };
  return fields[wire.replace(/^rules\./, '')];
}
