import { caretDownIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useState } from 'react';
import { CommandIDs } from '../../commands';
import { stateIcon } from '../../icons';
import { sessionHere } from '../../state/sessionpage/here';
import { Simulated } from '../parts/controls';
import { openMenu } from '../panel/sessionmenu';
import { shareLine, stateText } from '../parts/texts';
import { IUi, LiveWidget, useResult, useUi } from '../parts/ui';

const MENU = [
  CommandIDs.details,
  CommandIDs.suspend,
  CommandIDs.resumeHere,
  CommandIDs.back
];

/** The session of this page and its share; a click opens the menu of its actions. */
export function SessionChip(): JSX.Element | null {
  const { commands, workspace, trans } = useUi();
  const [isOpen, setOpen] = useState(false);
  useResult(workspace.sessions);
  const here = sessionHere(workspace);
  if (!here) {
    return null;
  }
  const { session, isClosed } = here;
  const state = isClosed ? 'stopped' : session.state;
  const share = shareLine(trans, session);
  const status = isClosed ? trans.__('Not running') : stateText(trans, session);
  const simulated = Boolean(session.placement?.simulated);
  // Speech control finds a button by the words that are seen on it.
  const label = [
    trans.__('This session: %1 · %2', session.spec.name, share),
    simulated ? trans.__('simulated') : '',
    status
  ];
  const StateIcon = stateIcon(state);
  return (
    <button
      type="button"
      className={`jp-GpuQuota-chip jp-mod-${state}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      aria-label={label.filter(Boolean).join(', ')}
      title={trans.__('This page runs in %1: %2', session.spec.name, status)}
      onClick={event => {
        const from = event.currentTarget;
        const { left, bottom } = from.getBoundingClientRect();
        const at = { x: left, y: bottom };
        setOpen(true);
        openMenu(commands, MENU, session, at, from, () => setOpen(false));
      }}
    >
      <span className="jp-GpuQuota-state">
        <StateIcon.react tag="span" />
      </span>
      <span className="jp-GpuQuota-chipText">
        <strong>{session.spec.name}</strong> · {share}
      </span>
      {simulated ? <Simulated trans={trans} /> : null}
      <caretDownIcon.react tag="span" />
    </button>
  );
}

/** Make the chip for the top of a page; what it shows is watched in the background. */
export function makeChip(ui: IUi): Widget {
  const chip = new LiveWidget(ui, <SessionChip />, []);
  chip.id = 'jp-gpuquota-chip';
  return chip;
}
