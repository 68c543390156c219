import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../../api/models';
import { IRestart } from '../../state/sessionpage/restarted';
import { clockText } from '../parts/texts';

/** Return what is about to happen to the session of this page, and whether its work is saved. */
export function endingText(
  trans: TranslationBundle,
  session: Session,
  unsaved: number,
  now: number
): string {
  const { by, saved } = session.ending ?? { by: '', saved: 'asked' };
  const seconds = Math.max(0, Math.ceil((Date.parse(by) - now) / 1000));
  const what = happens(trans, session, trans.__('%1 s', seconds));
  if (unsaved && saved === 'asked') {
    return trans.__('%1 – saving your notebooks…', what);
  }
  return unsaved
    ? trans._n(
        '%2 – %1 document is not saved',
        '%2 – %1 documents are not saved',
        unsaved,
        what
      )
    : trans.__('%1 – your notebooks are saved', what);
}

/** Return whether GPUs of a session are being taken back for somebody. */
export function isTakenBack({ goal, reclaimed }: Session): boolean {
  return goal === 'requeue' && reclaimed !== null;
}

/** Return whether a session holds more than one GPU. */
function hasMany({ placement }: Session): boolean {
  return (placement?.slices.length ?? 0) > 1;
}

function happens(
  trans: TranslationBundle,
  session: Session,
  time: string
): string {
  const { reclaimed, spec } = session;
  if (!reclaimed || !isTakenBack(session)) {
    return trans.__('%1 ends in %2', spec.name, time);
  }
  if (reclaimed.moved) {
    return trans.__('%1 moves to another GPU in %2', spec.name, time);
  }
  return hasMany(session)
    ? trans.__('%1 reclaims these GPUs in %2', reclaimed.project, time)
    : trans.__('%1 reclaims this GPU in %2', reclaimed.project, time);
}

/** Return what has become of the session of this page, in a few words. */
export function endedTitle(trans: TranslationBundle, session: Session): string {
  const { goal, reclaimed, spec, state } = session;
  if (state !== 'stopping') {
    return trans.__('%1 is not running', spec.name);
  }
  switch (goal) {
    case 'suspend':
      return trans.__('%1 was suspended', spec.name);
    case 'stop':
      return trans.__('%1 was stopped', spec.name);
    default:
      return reclaimed?.moved
        ? trans.__('%1 is moving', spec.name)
        : isTakenBack(session)
          ? takenBackTitle(trans, session)
          : trans.__('%1 is restarting', spec.name);
  }
}

function takenBackTitle(trans: TranslationBundle, session: Session): string {
  const { name } = session.spec;
  return hasMany(session)
    ? trans.__('The GPUs of %1 were reclaimed', name)
    : trans.__('The GPU of %1 was reclaimed', name);
}

/** Return why the session of this page has ended, what was saved, and how it goes on. */
export function endedText(
  trans: TranslationBundle,
  session: Session,
  why: string,
  unsaved: number | null
): string {
  const reason = session.state === 'stopping' ? session.reason : null;
  return [
    reason?.message ?? why,
    savedText(trans, unsaved),
    canResume(session)
      ? ''
      : trans.__(
          '%1 restarts automatically when GPUs are free, and this page will reconnect.',
          session.spec.name
        )
  ]
    .filter(Boolean)
    .join(' ');
}

/** Return the notice of a page that was reloaded because its session is running again. */
export function restartedText(
  trans: TranslationBundle,
  { name, at }: IRestart
): string {
  return trans.__(
    '%1 was restarted at %2. Its kernels are new: run your cells again.',
    name,
    clockText(at)
  );
}

/** Return whether somebody has to resume the session of this page for it to run again. */
export function canResume({ goal, state }: Session): boolean {
  return state !== 'stopping' || goal !== 'requeue';
}

/** Return whether what is open is saved; empty where that is not known. */
function savedText(trans: TranslationBundle, unsaved: number | null): string {
  if (unsaved === null) {
    return '';
  }
  return unsaved
    ? trans._n(
        '%1 document has unsaved changes: keep this page open. They are saved when the session runs again.',
        '%1 documents have unsaved changes: keep this page open. They are saved when the session runs again.',
        unsaved
      )
    : trans.__('Your documents were saved; kernel memory is gone.');
}
