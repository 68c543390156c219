import React from 'react';
import { CommandIDs } from '../../commands';
import { closedHere, soonestWarned } from '../../state/idle/idle';
import { Countdown } from './countdown';
import { warningText } from './texts';
import { useResult, useUi } from '../parts/ui';

/** The user's idle session that ends next; a click keeps it alive. */
export function IdleItem(): JSX.Element | null {
  const { commands, workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const sessions = useResult(workspace.sessions);
  if (
    about.status !== 'ready' ||
    sessions.status !== 'ready' ||
    closedHere(sessions, workspace.here) // what was known last is over
  ) {
    return null;
  }
  const { items } = sessions.value;
  const session = soonestWarned(items, about.value.user, workspace.here);
  if (!session) {
    return null;
  }
  const { id, spec } = session;
  const name = id === workspace.here ? trans.__('This session') : spec.name;
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
