import {
  Session,
  Snapshot,
  SnapshotPreview,
  SnapshotRequest
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { PreviewedForm } from '../previewedform';
import { namesOf } from '../settings/formvalues';
import { SnapshotActions } from './actions';

/** What the form of a new snapshot holds; lists are typed with commas or spaces. */
export const NEW_SNAPSHOT = {
  note: '',
  tags: '',
  exclude: '',
  artifacts: '',
  variables: '',
  volumes: ''
};

type Draft = Readonly<typeof NEW_SNAPSHOT>;

/** The form of a new snapshot: how much it would store is asked when it opens. */
export class TakeModel extends PreviewedForm<
  keyof Draft,
  Snapshot,
  SnapshotPreview
> {
  constructor(
    workspace: Pick<IGpuWorkspace, 'call' | 'resource'>,
    { id }: Pick<Session, 'id'>,
    delay?: number
  ) {
    let asked = '';
    let answer: Promise<SnapshotPreview> | undefined;
    super(
      { ...NEW_SNAPSHOT },
      draft => new SnapshotActions(workspace).take(id, toRequest(draft)),
      draft => {
        const { exclude, volumes } = toRequest(draft);
        const body = { exclude, volumes };
        const key = JSON.stringify(body);
        // What else is typed does not change it, and counting takes a second.
        if (!answer || key !== asked) {
          asked = key;
          answer = workspace.call(routes.snapshotsPreview, {
            args: { id },
            body
          });
          answer.catch(() => (answer = undefined)); // the next one may be answered
        }
        return answer;
      },
      delay
    );
  }
}

/** Return what is sent to take a snapshot. */
export function toRequest(draft: Draft): SnapshotRequest {
  const volumes = namesOf(draft.volumes);
  return {
    note: draft.note.trim(),
    tags: namesOf(draft.tags),
    exclude: namesOf(draft.exclude),
    artifacts: namesOf(draft.artifacts),
    variables: namesOf(draft.variables),
    volumes: volumes.length ? volumes : null
  };
}
