import { Widget } from '@lumino/widgets';
import React from 'react';
import { IUi, LiveWidget, useResult, useUi } from '../parts/ui';
import { CommandIDs } from '../../commands';
import { closedHere, soonestWarned } from '../../state/idle/idle';
import { Countdown } from '../idle/countdown';
import { warningText } from '../idle/texts';
import { TranslationBundle } from '@jupyterlab/translation';
import { gpuIcon } from '../../icons';
import { sessionHere } from '../../state/sessionpage/here';
import { IGpuSum, sumUp } from '../../state/gpus/readings';
import { heldBy, isUndivided } from '../../state/quota';
import { useGpus } from '../gpus/gauges';
import { percentText, sumText } from '../gpus/texts';
import { Meter } from '../parts/meter';
import { briefText, shareLine } from '../parts/texts';

/** Make the status bar's items; what it shows is watched in the background. */
export function makeStatusItem(ui: IUi): Widget {
  const items = (
    <>
      <StatusItem />
      <IdleItem />
    </>
  );
  return new LiveWidget(ui, items, []);
}

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

/**
 * Show how much of the GPUs is mine, or what the session has whose page this is; a click opens the
 * panel.
 */
export function StatusItem(): JSX.Element | null {
  const { commands, workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const use = useResult(workspace.quota);
  useResult(workspace.sessions);
  const gpus = useGpus(use.status === 'ready' && isUndivided(use.value));
  if (about.status !== 'ready' || use.status !== 'ready') {
    return null;
  }
  const session = sessionHere(workspace)?.session;
  const share = session
    ? shareLine(trans, session)
    : heldText(trans, heldBy(use.value, about.value.user));
  const text = use.value.simulated ? trans.__('%1 (simulated)', share) : share;
  const mine = gpus.filter(({ mine, sessions }) =>
    session ? sessions.includes(session.id) : mine
  );
  const sum = sumUp(mine.length ? mine : gpus);
  const all = [text, sumText(trans, sum)].filter(Boolean).join(', ');
  const label = session
    ? trans.__('This session: %1. Show the GPU workspace', all)
    : trans.__('My GPUs: %1. Show the GPU workspace', all);
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
      <Reading sum={sum} />
    </button>
  );
}

function heldText(trans: TranslationBundle, milli: number): string {
  return milli
    ? trans.__('%1 in use', briefText(trans, milli))
    : trans.__('No GPU in use');
}

/** What is measured of the user's GPUs; the button's label says it in words. */
function Reading({ sum }: { sum: IGpuSum }): JSX.Element | null {
  const { trans } = useUi();
  const { utilisation } = sum;
  const text = sumText(trans, sum);
  return text ? (
    <>
      {utilisation === null ? null : (
        <Meter
          value={utilisation}
          over={0}
          max={100}
          label={trans.__('GPU utilisation')}
          text={percentText(trans, utilisation)}
        />
      )}
      {text}
    </>
  ) : null;
}
