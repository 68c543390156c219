import React from 'react';
import { CommandIDs } from '../commands';
import { closedHere, soonestWarned } from '../state/idle';
import { Countdown } from './countdown';
import { warningText } from './idletexts';
import { useResult, useUi } from './ui';

/** Say which of my sessions is ended next for being idle; a click keeps it alive. */
export function IdleItem(): JSX.Element | null {
  const { commands, quota, trans } = useUi();
  const about = useResult(quota.about);
  const sessions = useResult(quota.sessions);
  if (
    about.status !== 'ready' ||
    sessions.status !== 'ready' ||
    closedHere(sessions, quota.here) // what was known last is over
  ) {
    return null;
  }
  const { items } = sessions.value;
  const session = soonestWarned(items, about.value.user, quota.here);
  if (!session) {
    return null;
  }
  const { id, spec } = session;
  const name = id === quota.here ? trans.__('This session') : spec.name;
  const label = trans.__('%1. Keep it alive', warningText(trans, session));
  return (
    <button
      type="button"
      className="jp-GpuQuota-statusItem jp-mod-warned"
      aria-label={label}
      title={label}
      onClick={() => void commands.execute(CommandIDs.keepAlive, { id })}
    >
      <Countdown session={session} name={name} />
    </button>
  );
}
