import React from 'react';
import { CommandIDs } from '../commands';
import { gpuIcon } from '../icons';
import { heldBy } from '../state/quota';
import { gpus } from './texts';
import { useResult, useUi } from './ui';

/** Show how much of the GPUs is mine; a click opens the panel. */
export function StatusItem(): JSX.Element | null {
  const { commands, quota, trans } = useUi();
  const about = useResult(quota.about);
  const use = useResult(quota.quota);
  if (about.status !== 'ready' || use.status !== 'ready') {
    return null;
  }
  const mine = gpus(heldBy(use.value, about.value.user));
  const text = use.value.simulated
    ? trans.__('%1 GPU (simulated)', mine)
    : trans.__('%1 GPU', mine);
  const label = trans.__('My GPUs: %1. Show the GPU workspace', text);
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
