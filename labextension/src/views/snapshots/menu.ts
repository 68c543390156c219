import { Snapshot } from '../../api/models';
import { CommandIDs } from '../../commands';
import { SnapshotActions } from '../../state/snapshots/actions';
import { inOrder, isStored, may } from '../../state/snapshots/snapshots';
import { choose, copy } from '../datasets/dialogs';
import { follow } from '../datasets/syncfolder';
import { IEntry } from '../parts/menu';
import { doing } from '../parts/report';
import { clockText } from '../parts/texts';
import { IUi } from '../parts/ui';
import {
  exportSnapshot,
  pinSnapshot,
  removeSnapshot,
  tagSnapshot
} from './forms';
import { restoreSnapshot } from './restore';
import { shortId, shortTitle } from './texts';

/** Show a snapshot in the main area. */
export function open({ commands }: IUi, { id }: Snapshot): void {
  void commands.execute(CommandIDs.showSnapshot, { snapshot: id });
}

/** Show what differs between two snapshots in the main area. */
export function compare(
  { commands }: IUi,
  one: Snapshot,
  other: Snapshot
): void {
  const [before, after] = inOrder(one, other);
  void commands.execute(CommandIDs.compareSnapshots, {
    snapshot: before.id,
    other: after.id
  });
}

/** Return what can be done to a snapshot. */
export function snapshotEntries(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot,
  others: readonly Snapshot[]
): (IEntry | null)[] {
  return [
    ...(may(snapshot, 'see') && isStored(snapshot)
      ? seeing(ui, actions, snapshot, others)
      : []),
    ...(may(snapshot, 'mark') && isStored(snapshot)
      ? [null, ...marking(ui, actions, snapshot)]
      : []),
    ...(may(snapshot, 'remove')
      ? [
          {
            label: ui.trans.__('Remove…'),
            run: () => void removeSnapshot(ui, actions, snapshot)
          }
        ]
      : [])
  ];
}

function seeing(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot,
  others: readonly Snapshot[]
): IEntry[] {
  const { trans, workspace } = ui;
  const rest = others.filter(
    other => other.id !== snapshot.id && isStored(other) && may(other, 'see')
  );
  const verify = async () => {
    const job = await actions.verify(snapshot);
    follow(trans, workspace, job.id);
  };
  return [
    { label: trans.__('Show'), run: () => open(ui, snapshot) },
    ...(rest.length
      ? [
          {
            label: trans.__('Compare with…'),
            run: doing(trans, () => compareWith(ui, snapshot, rest))
          }
        ]
      : []),
    ...(may(snapshot, 'restore')
      ? [
          {
            label: trans.__('Restore…'),
            run: () => void restoreSnapshot(ui, snapshot)
          }
        ]
      : []),
    {
      label: trans.__('Export…'),
      run: () => void exportSnapshot(ui, actions, snapshot)
    },
    { label: trans.__('Verify'), run: doing(trans, verify) },
    {
      label: trans.__('Show Lineage'),
      run: () =>
        void ui.commands.execute(CommandIDs.snapshotLineage, {
          snapshot: snapshot.id
        })
    },
    { label: trans.__('Copy ID'), run: () => copy(trans, snapshot.id) }
  ];
}

async function compareWith(
  ui: IUi,
  snapshot: Snapshot,
  others: readonly Snapshot[]
): Promise<void> {
  const { trans } = ui;
  // The parent and snapshots of the same session are what is most often meant.
  const near = ({ id, session }: Snapshot) =>
    Number(id === snapshot.parent) * 2 + Number(session === snapshot.session);
  const sorted = [...others].sort((a, b) => near(b) - near(a));
  const items = sorted.map(({ created, id, name, note, tags }) =>
    [shortId(id), name, tags.join(' '), note, clockText(created)]
      .filter(Boolean)
      .join(' · ')
  );
  const title = trans.__('Compare %1 with', shortTitle(snapshot));
  const index = await choose(title, trans.__('Snapshot'), items);
  if (index !== null) {
    compare(ui, snapshot, sorted[index]);
  }
}

function marking(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot
): IEntry[] {
  const { trans } = ui;
  return [
    {
      label: trans.__('Tags…'),
      run: () => void tagSnapshot(ui, actions, snapshot)
    },
    snapshot.pin
      ? {
          label: trans.__('Unpin'),
          run: doing(trans, () => actions.unpin(snapshot))
        }
      : {
          label: trans.__('Pin…'),
          run: () => void pinSnapshot(ui, actions, snapshot)
        }
  ];
}
