import { IPreferenceValues } from '../../tokens';
import { INews, NoticeKind } from './events';

/** The setting that turns on each kind of notice. */
export const SWITCH: Record<NoticeKind, keyof IPreferenceValues & string> = {
  ready: 'notifyReady',
  failed: 'notifyFailed',
  waiting: 'notifyWaiting',
  reclaimed: 'notifyReclaimed',
  ending: 'notifyEnding',
  ended: 'notifyEnded'
};

/** Return whether a user with these settings wants to be notified of something. */
export function isWanted(
  { kind, session }: INews,
  values: Readonly<IPreferenceValues>
): boolean {
  if (kind === 'over' || !values[SWITCH[kind]]) {
    return false;
  }
  // A training runs unattended: nobody waits for its start, but what ended it is to be known.
  return (
    kind === 'failed' ||
    kind === 'ended' ||
    session.spec.kind !== 'train' ||
    values.notifyTrainings
  );
}
