import { TranslationBundle } from '@jupyterlab/translation';
import {
  FieldProblem,
  SnapshotRules,
  SnapshotRulesRequest,
  SnapshotSettings
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { PreviewedForm } from '../previewedform';
import { boxOf, YES } from '../settings/formvalues';

/** The rules that are numbers; 0, an empty field, for none. */
export const NUMBERS = ['keep_last', 'daily', 'weekly'] as const;

export type RuleField = keyof SnapshotRules;

type Draft = Readonly<Record<RuleField, string>>;

/** The form of a user's rules: which snapshots they would remove is asked while the user types. */
export class RulesModel extends PreviewedForm<
  RuleField,
  SnapshotSettings,
  SnapshotSettings
> {
  constructor(
    workspace: Pick<IGpuWorkspace, 'call'>,
    rules: SnapshotRules,
    private _trans: TranslationBundle,
    delay?: number
  ) {
    const put = (draft: Draft, dry_run: boolean, signal?: AbortSignal) =>
      workspace.call(routes.snapshotsPutSettings, {
        body: { ...toRequest(draft), dry_run },
        signal
      });
    super(
      toDraft(rules),
      draft => put(draft, false),
      (draft, signal) => put(draft, true, signal),
      delay
    );
  }

  /** Send them; numbers are checked first. */
  async send(): Promise<SnapshotSettings | undefined> {
    const message = this._trans.__('Use a whole number, or none.');
    const problems: FieldProblem[] = NUMBERS.filter(
      name => !/^\d*$/.test(this.draft[name].trim())
    ).map(field => ({ field, message, hint: '' }));
    if (problems.length) {
      this.refuse(problems);
      return undefined;
    }
    return super.send();
  }
}

function toDraft(rules: SnapshotRules): Record<RuleField, string> {
  const number = (value: number) => (value ? String(value) : '');
  return {
    keep_last: number(rules.keep_last),
    daily: number(rules.daily),
    weekly: number(rules.weekly),
    every: String(rules.every),
    on_suspend: boxOf(rules.on_suspend),
    on_finish: boxOf(rules.on_finish)
  };
}

function toRequest(draft: Draft): SnapshotRulesRequest {
  const number = (name: RuleField) => Number(draft[name].trim()) || 0;
  return {
    keep_last: number('keep_last'),
    daily: number('daily'),
    weekly: number('weekly'),
    every: number('every'),
    on_suspend: draft.on_suspend === YES,
    on_finish: draft.on_finish === YES
  };
}
