import React from 'react';
import { CommandIDs } from '../../commands';
import { gpuIcon } from '../../icons';
import { sessionHere } from '../../state/sessionpage/here';
import { heldBy } from '../../state/quota';
import { gpusText, shareLine } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/**
 * Show how much of the GPUs is mine, or what the session has whose page this is; a click opens the
 * panel.
 */
export function StatusItem(): JSX.Element | null {
  const { commands, workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const use = useResult(workspace.quota);
  useResult(workspace.sessions);
  if (about.status !== 'ready' || use.status !== 'ready') {
    return null;
  }
  const session = sessionHere(workspace)?.session;
  const share = session
    ? shareLine(trans, session)
    : gpusText(trans, heldBy(use.value, about.value.user));
  const text = use.value.simulated ? trans.__('%1 (simulated)', share) : share;
  const label = session
    ? trans.__('This session: %1. Show the GPU workspace', text)
    : trans.__('My GPUs: %1. Show the GPU workspace', text);
  return (
    <button
      type="button"
      className="jp-GpuQuota-statusItem"
      aria-label={label}
      title={label}
      onClick={() => void commands.execute(CommandIDs.showPanel)}
    >
      <gpuIcon.react tag="span" aria-hidden="true" />
      {text}
    </button>
  );
}
