import { Job, Snapshot, SnapshotAction } from '../../api/models';

/** Return whether a user may do something to a snapshot. */
export function may({ actions }: Snapshot, action: SnapshotAction): boolean {
  return actions.includes(action);
}

/** Return whether there is a manifest: a snapshot that is being taken has none yet. */
export function isStored({ state }: Snapshot): boolean {
  return state !== 'making' && state !== 'failed';
}

/** Return whether a job works on snapshots: their files are in datasets that nobody names. */
export function isOfSnapshots({ dataset, kind }: Job): boolean {
  return (
    kind === 'snapshot' || kind === 'restore' || dataset.startsWith(HIDDEN)
  );
}

/** How the names of datasets begin that hold the files of snapshots. */
const HIDDEN = '.snapshots-';

/** Return the snapshots that have all words of a filter. */
export function matching(
  snapshots: readonly Snapshot[],
  filter: string
): readonly Snapshot[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return snapshots.filter(({ id, name, note, owner, project, tags }) => {
    const text = [id, name, note, owner, project, ...tags]
      .join('\n')
      .toLowerCase();
    return words.every(word => text.includes(word));
  });
}

/** Return a pair in the order in which they were taken, the earlier one first. */
export function inOrder(
  one: Snapshot,
  other: Snapshot
): readonly [Snapshot, Snapshot] {
  return one.created <= other.created ? [one, other] : [other, one];
}
