import { RestorationList, SnapshotList } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { Resource } from '../resource';

type Workspace = Pick<IGpuWorkspace, 'call' | 'preferences' | 'resource'>;

/** Pages that are read at most; beyond them the shell searches. */
const PAGES = 10;

/** Something of snapshots, read again whenever they change. */
class OfSnapshots<T> extends Resource<T> {
  constructor(
    private _workspace: Workspace,
    name: string,
    read: (background: boolean) => Promise<T>
  ) {
    super({
      name,
      interval: _workspace.preferences.values.pollInterval * 1000,
      read: async (_, background) => ({
        value: await read(background),
        etag: ''
      })
    });
    _workspace.resource('snapshots').changed.connect(this.invalidate, this);
  }

  dispose(): void {
    this._workspace
      .resource('snapshots')
      .changed.disconnect(this.invalidate, this);
    super.dispose();
  }
}

/** Make the list of all snapshots, not only of the newest. */
export function allSnapshots(workspace: Workspace): Resource<SnapshotList> {
  return new OfSnapshots(
    workspace,
    `${routes.snapshotsList.name} all`,
    async background => {
      const read = (cursor: string) =>
        workspace.call(routes.snapshotsList, { query: { cursor }, background });
      let page = await read('');
      const items = [...page.items];
      for (let count = 1; page.next && count < PAGES; count += 1) {
        page = await read(page.next);
        items.push(...page.items);
      }
      return { ...page, items };
    }
  );
}

/** Make the list of the user's restores that go on or have ended lately. */
export function allRestores(workspace: Workspace): Resource<RestorationList> {
  return new OfSnapshots(workspace, routes.snapshotsRestores.name, background =>
    workspace.call(routes.snapshotsRestores, { background })
  );
}

/** Make something of one snapshot. */
export function ofSnapshot<T>(
  workspace: Workspace,
  name: string,
  read: (background: boolean) => Promise<T>
): Resource<T> {
  return new OfSnapshots(workspace, name, read);
}
