import { asApiError } from '../../api/errors';
import {
  FieldProblem,
  Restoration,
  RestorePlan,
  RestoreRequest,
  Snapshot
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { PreviewedForm } from '../previewedform';
import { YES } from '../settings/formvalues';
import { SnapshotActions } from './actions';

/** What is made: a new session, or only its folder and volumes. */
export type How = 'new' | 'folder';

export type RestoreField =
  'how' | 'name' | 'folder' | 'environment' | 'variables';

/** The form of a restore: what would be made is asked while the user types. */
export class RestoreModel extends PreviewedForm<
  RestoreField,
  Restoration,
  RestorePlan
> {
  constructor(
    workspace: Pick<IGpuWorkspace, 'call' | 'resource'>,
    snapshot: Snapshot,
    delay?: number
  ) {
    const args = { snapshot: snapshot.id };
    super(
      { how: 'new', name: '', folder: '', environment: '', variables: '' },
      draft =>
        new SnapshotActions(workspace).restore(snapshot, toRequest(draft)),
      (draft, signal) =>
        workspace.call(routes.snapshotsPlan, {
          args,
          body: toRequest(draft),
          signal
        }),
      delay
    );
    void this._look(workspace, args);
  }

  /** The names of the kernel variables that the snapshot has. */
  get variables(): readonly string[] {
    return this._variables;
  }

  /** What the plan has found of other fields. */
  get obstacles(): FieldProblem[] {
    return this.found.filter(({ field }) => !(field in this.draft));
  }

  protected get found(): readonly FieldProblem[] {
    return this.plan?.problems ?? super.found;
  }

  private async _look(
    workspace: Pick<IGpuWorkspace, 'call'>,
    args: { snapshot: string }
  ): Promise<void> {
    try {
      const answer = await workspace.call(routes.snapshotsGet, { args });
      this._variables = answer.manifest?.kernel?.names ?? [];
      this.touch();
    } catch (thrown) {
      // The plan meets the same error, and shows it.
      console.debug('No kernel variables are offered:', asApiError(thrown));
    }
  }

  private _variables: readonly string[] = [];
}

function toRequest(
  draft: Readonly<Record<RestoreField, string>>
): RestoreRequest {
  const how = draft.how as How;
  return {
    name: how === 'new' ? draft.name.trim() : '',
    folder: draft.folder.trim(),
    environment: how === 'new' ? draft.environment.trim() : '',
    launch: how === 'new',
    variables: draft.variables === YES
  };
}
