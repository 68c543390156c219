import { TranslationBundle } from '@jupyterlab/translation';
import { Aborted, ApiError, asApiError } from '../../api/errors';
import {
  FieldProblem,
  Restoration,
  RestorePlan,
  RestoreRequest,
  Snapshot
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { FormModel } from '../formmodel';
import { YES } from '../settings/formvalues';
import { SnapshotActions } from './actions';

/** What is restored: into a new session, only a folder, or in place of the original folder. */
export type How = 'new' | 'folder' | 'replace';

export type RestoreField = 'how' | 'sure' | 'name' | 'folder' | 'variables';

/** What a restore would make, as far as that is known. */
export type Planned =
  | { readonly status: 'pending' }
  | { readonly status: 'ready'; readonly plan: RestorePlan }
  | { readonly status: 'error'; readonly error: ApiError };

/** The form of a restore: what would be made is asked while the user types. */
export class RestoreModel extends FormModel<RestoreField, Restoration> {
  constructor(
    private _workspace: Pick<IGpuWorkspace, 'call' | 'resource'>,
    private _snapshot: Snapshot,
    private _trans: TranslationBundle,
    private _delay = 200
  ) {
    super(
      { how: 'new', sure: '', name: '', folder: '', variables: '' },
      draft =>
        new SnapshotActions(_workspace).restore(_snapshot, toRequest(draft))
    );
    void this._ask();
  }

  get planned(): Planned {
    return this._planned;
  }

  /** Those of a refused restore, and those that the plan has found. */
  problemsOf(name: RestoreField): FieldProblem[] {
    const own = super.problemsOf(name);
    const found = this._found().filter(({ field }) => field === name);
    return own.length ? own : found;
  }

  /** What the plan has found of other fields. */
  get obstacles(): FieldProblem[] {
    return this._found().filter(({ field }) => !(field in this.draft));
  }

  /** Send it; what replaces something has to be confirmed first. */
  async send(): Promise<Restoration | undefined> {
    const { how, sure } = this.draft;
    if (how === 'replace' && sure !== YES) {
      const message = this._trans.__('Confirm that the folder is replaced.');
      this.refuse([{ field: 'sure', message, hint: '' }]);
      return undefined;
    }
    return super.send();
  }

  set(values: Partial<Record<RestoreField, string>>): void {
    super.set(values);
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._ask(), this._delay);
  }

  dispose(): void {
    window.clearTimeout(this._timer);
    this._asking?.abort();
    super.dispose();
  }

  private async _ask(): Promise<void> {
    this._asking?.abort();
    const asking = (this._asking = new AbortController());
    try {
      const plan = await this._workspace.call(routes.snapshotsPlan, {
        args: { snapshot: this._snapshot.id },
        body: toRequest(this.draft),
        signal: asking.signal
      });
      this._answer(asking, { status: 'ready', plan });
    } catch (thrown) {
      if (!(thrown instanceof Aborted)) {
        this._answer(asking, { status: 'error', error: asApiError(thrown) });
      }
    }
  }

  private _answer(asking: AbortController, planned: Planned): void {
    if (asking === this._asking && !this.isDisposed) {
      this._planned = planned;
      this.touch();
    }
  }

  private _found(): readonly FieldProblem[] {
    const { planned } = this;
    switch (planned.status) {
      case 'ready':
        return planned.plan.problems;
      case 'error':
        return planned.error.fields;
      default:
        return [];
    }
  }

  private _asking?: AbortController;
  private _planned: Planned = { status: 'pending' };
  private _timer?: number;
}

function toRequest(
  draft: Readonly<Record<RestoreField, string>>
): RestoreRequest {
  const how = draft.how as How;
  return {
    name: how === 'new' ? draft.name.trim() : '',
    folder: how === 'replace' ? '' : draft.folder.trim(),
    replace: how === 'replace',
    launch: how === 'new',
    variables: draft.variables === YES
  };
}
