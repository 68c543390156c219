import { ReasonCode, Session } from '../../api/models';
import { Known } from '../../api/vocabulary';
import { wasIdle } from './idle';

const REQUESTED: readonly Known<ReasonCode>[] = [
  'StopRequested',
  'SuspendRequested'
];

/** Return who has requested a session's end, if not its owner, and the reason that was given. */
function requestOf({ reason, state }: Session): { who?: string; why?: string } {
  const isRequested = REQUESTED.some(code => code === reason?.code);
  return isRequested && ['stopping', 'suspended', 'stopped'].includes(state)
    ? (reason?.args ?? {})
    : {};
}

/** Return whether somebody other than its owner has ended a session. */
export function wasEndedByAnother(session: Session): boolean {
  return Boolean(requestOf(session).who);
}

/** Return why a session has ended, where more is known than that it was requested; else empty. */
export function endReason(session: Session): string {
  const { who, why } = requestOf(session);
  return who || why || wasIdle(session) ? (session.reason?.message ?? '') : '';
}
