import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { lookUp } from '../../api/vocabulary';
import { groupQueued, IQueuedGroup } from '../../state/queued';

/** Return how many sessions wait for what: `13 wait for team-a's quota · 3 for one whole GPU`. */
export function queuedText(
  trans: TranslationBundle,
  sessions: readonly Session[]
): string {
  return groupQueued(sessions)
    .map(group => groupText(trans, group))
    .join(' · ');
}

/** Return how many sessions of a group wait, and for what. */
export function groupText(
  trans: TranslationBundle,
  { code, project, sessions }: IQueuedGroup
): string {
  const count = sessions.length;
  const texts = {
    '': trans._n('%1 not considered yet', '%1 not considered yet', count),
    OverQuota: trans._n(
      "%1 waits for %2's quota",
      "%1 wait for %2's quota",
      count,
      project
    ),
    OverLimit: trans._n(
      '%1 waits: %2 is at its limit',
      '%1 wait: %2 is at its limit',
      count,
      project
    ),
    NoNodeFits: trans._n(
      '%1 waits for a free GPU',
      '%1 wait for free GPUs',
      count
    ),
    Fragmented: trans._n(
      '%1 waits for enough room on one GPU or node',
      '%1 wait for enough room on one GPU or node',
      count
    ),
    BeingReclaimed: trans._n(
      '%1 starts when its GPUs are freed',
      '%1 start when their GPUs are freed',
      count
    ),
    QueueMissing: trans._n(
      '%1 waits: %2 has no queue',
      '%1 wait: %2 has no queue',
      count,
      project
    ),
    Moving: trans._n(
      '%1 moves to another cluster',
      '%1 move to other clusters',
      count
    ),
    ImagePull: trans._n(
      '%1 waits for its image',
      '%1 wait for their images',
      count
    ),
    VolumePending: trans._n(
      '%1 waits for a volume',
      '%1 wait for volumes',
      count
    ),
    DataPending: trans._n(
      '%1 waits for its data',
      '%1 wait for their data',
      count
    )
  };
  return (
    lookUp(texts, code) ??
    trans._n('%1 waits (%2)', '%1 wait (%2)', count, code)
  );
}
