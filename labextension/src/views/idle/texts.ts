import { TranslationBundle } from '@jupyterlab/translation';
import { Idleness, Session, SessionPolicy } from '../../api/models';
import { endReason } from '../../state/idle/endings';
import {
  endOf,
  idleOf,
  isWarned,
  keptUntil,
  wasIdle
} from '../../state/idle/idle';
import { WARNING } from '../../state/notices/events';
import {
  clockText,
  spanText,
  stateText,
  statusLine,
  statusText
} from '../parts/texts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Name the level of the policy that decided: `team-a's policy`. */
export function whoseText(
  trans: TranslationBundle,
  level: string,
  session: string
): string {
  const [sort, ...rest] = level.split(':');
  const name = rest.join(':');
  switch (sort) {
    case 'everyone':
      return trans.__("everyone's policy");
    case 'project':
      return trans.__("%1's policy", name);
    case 'kind':
      return trans.__('the policy for %1 sessions', name);
    case 'session':
      return session
        ? trans.__("%1's own setting", session)
        : trans.__("the session's own setting");
    case 'built-in':
    case '':
      return trans.__('the default policy');
    default:
      return level;
  }
}

/** Return how long a session has been idle: `idle 22 min`; empty in the first minute. */
export function idleSpan(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const idle = idleOf(session);
  const span = idle ? now - Date.parse(idle.since) : 0;
  if (!idle || (span < MINUTE && !idle.warned)) {
    return '';
  }
  return idle.rule === 'gpu_idle_timeout'
    ? trans.__('GPU unused for %1', exactSpan(trans, span))
    : trans.__('idle %1', exactSpan(trans, span));
}

/** Return a span of milliseconds to the minute: `1 hr 52 min`. */
function exactSpan(trans: TranslationBundle, span: number): string {
  const rest = span % HOUR;
  return span >= HOUR && span < 24 * HOUR && rest >= MINUTE
    ? trans.__('%1 %2', spanText(trans, span), spanText(trans, rest))
    : spanText(trans, span);
}

/**
 * Return everything about an idle session in one sentence, with who decided; empty if it is used.
 *
 * `quiet` names what did nothing, where that is known.
 */
export function idleText(
  trans: TranslationBundle,
  session: Session,
  now: number,
  quiet = ''
): string {
  const idle = idleOf(session);
  const span = idleSpan(trans, session, now);
  const until = keptUntil(session, now);
  const kept = until ? trans.__('kept alive until %1', clockText(until)) : '';
  const what = [span, kept].filter(Boolean).join(', ');
  const then = idle && span ? endText(trans, idle, session) : '';
  const why = [span && quiet, then].filter(Boolean).join('; ');
  const text = why ? trans.__('%1: %2', what, why) : what;
  return [unmeasuredText(trans, session), text].filter(Boolean).join('; ');
}

/** Return why a session cannot be ended for being idle; empty if it can. */
function unmeasuredText(
  trans: TranslationBundle,
  { state, unmeasured }: Session
): string {
  if (!unmeasured || state !== 'running') {
    return '';
  }
  const why = unmeasured[0].toLowerCase() + unmeasured.slice(1);
  return trans.__('cannot idle out: %1', why.replace(/\.$/, ''));
}

function endText(
  trans: TranslationBundle,
  idle: Idleness,
  session: Session
): string {
  const { acts, action, exempt } = idle;
  const whose = whoseText(trans, idle.level, session.spec.name);
  if (exempt) {
    return trans.__('exempt until %1', clockText(exempt));
  }
  if (action === 'notify') {
    return trans.__('%1 only notifies you', whose);
  }
  return acts && action
    ? trans.__('%1, %2', endsAt(trans, action, acts), whose)
    : '';
}

function endsAt(
  trans: TranslationBundle,
  action: Idleness['action'],
  acts: string
): string {
  switch (action) {
    case 'stop':
      return trans.__('will be stopped at %1', clockText(acts));
    case 'suspend':
      return trans.__('will be suspended at %1', clockText(acts));
    default:
      return trans.__('%1 at %2', action, clockText(acts));
  }
}

/** Return how long an idle session still has: `suspends in 8 min`; empty if nothing ends it. */
export function countdownText(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const end = endOf(session);
  if (end === null) {
    return '';
  }
  const stops = session.idle?.action === 'stop';
  const seconds = Math.ceil((end - now) / 1000);
  if (seconds <= 0) {
    return stops ? trans.__('stops now') : trans.__('suspends now');
  }
  const left =
    seconds < 120
      ? trans.__('%1 s', seconds)
      : exactSpan(trans, seconds * 1000);
  return stops
    ? trans.__('stops in %1', left)
    : trans.__('suspends in %1', left);
}

/** Return when a running session reaches its maximum run time, and who set that; else empty. */
export function lifeText(trans: TranslationBundle, session: Session): string {
  const { ends, ends_by, spec, state } = session;
  return ends && state === 'running'
    ? trans.__(
        'stops at %1 (max. run time, %2)',
        clockText(ends),
        whoseText(trans, ends_by, spec.name)
      )
    : '';
}

/** Return for a row that a session soon reaches its maximum run time; empty until then. */
function lifeLine(
  trans: TranslationBundle,
  { ends, state }: Session,
  now: number
): string {
  const isNear = ends && Date.parse(ends) - now <= WARNING;
  return isNear && state === 'running'
    ? trans.__('stops at %1', clockText(ends))
    : '';
}

/** Return the full status of a row, for its tooltip and for screen readers. */
export function rowText(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  const status = statusText(trans, session, now);
  const coming = [idleText(trans, session, now), lifeText(trans, session)];
  const said = coming.filter(Boolean).join('; ');
  const why = endReason(session);
  return said
    ? trans.__('%1, %2', status, said)
    : why
      ? trans.__('%1: %2', status, why)
      : status;
}

/** Return the status that fits a row; after a warning only what is about to happen. */
export function rowLine(
  trans: TranslationBundle,
  session: Session,
  now: number
): string {
  if (isWarned(session)) {
    return countdownText(trans, session, now);
  }
  const life = lifeLine(trans, session, now);
  if (life) {
    return life;
  }
  const span = idleSpan(trans, session, now);
  const { acts = null, action = '', exempt = '' } = idleOf(session) ?? {};
  if (span && exempt) {
    return trans.__('%1, exempt until %2', span, clockText(exempt));
  }
  // Where the policy does nothing, it only matters that the session runs.
  const until = acts && keptUntil(session, now);
  if (until) {
    return trans.__('kept alive until %1', clockText(until));
  }
  if (span && acts) {
    if (endOf(session) === null) {
      return span;
    }
    const at = clockText(acts);
    return action === 'stop'
      ? trans.__('%1, stops at %2', span, at)
      : trans.__('%1, suspends at %2', span, at);
  }
  const unmeasured = unmeasuredText(trans, session);
  if (unmeasured) {
    return unmeasured;
  }
  return wasIdle(session)
    ? trans.__('%1 – idle', stateText(trans, session))
    : endReason(session) || statusLine(trans, session, now);
}

/** Return the notice that a session is about to be ended. */
export function warningText(
  trans: TranslationBundle,
  session: Session
): string {
  const { name } = session.spec;
  const idle = session.idle;
  const whose = idle ? whoseText(trans, idle.level, name) : '';
  const isGpu = idle?.rule === 'gpu_idle_timeout';
  if (!idle?.acts || endOf(session) === null) {
    const since = clockText(idle?.since ?? '');
    return isGpu
      ? trans.__(
          'The GPU of %1 has been unused since %2 (%3)',
          name,
          since,
          whose
        )
      : trans.__('%1 has been idle since %2 (%3)', name, since, whose);
  }
  const then = endsAt(trans, idle.action, idle.acts);
  return isGpu
    ? trans.__('%1 %2 because its GPU is unused (%3)', name, then, whose)
    : trans.__('%1 %2 unless used (%3)', name, then, whose);
}

/** Return the label of the button that keeps a session alive; empty if the policy forbids it. */
export function keepText(
  trans: TranslationBundle,
  { kept }: Session,
  { rules }: SessionPolicy
): string {
  const value = (name: string) =>
    rules.find(({ rule }) => rule === name)?.value ?? '';
  const span = value('keep_alive');
  const left = Number(value('keep_alives')) - (kept?.times ?? 0);
  return span !== 'none' && left > 0 ? trans.__('Keep alive %1', span) : '';
}
