import { IPreferenceValues } from '../../tokens';
import { INews, NoticeKind } from './events';

/** The setting that turns on each kind of notice. */
export const SWITCH: Record<NoticeKind, keyof IPreferenceValues & string> = {
  ready: 'notifyReady',
  failed: 'notifyFailed',
  waiting: 'notifyWaiting',
  reclaimed: 'notifyReclaimed',
  ending: 'notifyEnding'
};

/** Return whether a user with these settings wants to be notified of something. */
export function isWanted(
  { kind, session }: INews,
  values: Readonly<IPreferenceValues>
): boolean {
  if (kind === 'over' || !values[SWITCH[kind]]) {
    return false;
  }
  // A training runs unattended: nobody waits for its start, but its failure is to be known.
  return (
    kind === 'failed' || session.spec.kind !== 'train' || values.notifyTrainings
  );
}
