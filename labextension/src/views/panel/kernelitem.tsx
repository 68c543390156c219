import { TranslationBundle } from '@jupyterlab/translation';
import { caretDownIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useState } from 'react';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { stateIcon } from '../../icons';
import { Simulated } from '../parts/controls';
import {
  lineText,
  memory,
  shareText,
  sliceMemory,
  stateText,
  statusText
} from '../parts/texts';
import { IUi, LiveWidget, useNow, useResult, useUi } from '../parts/ui';
import { IMenuEntry, openMenu } from './sessionmenu';

/** Return the menu of a session that lacks a notebook's folder, where that is named. */
function menuOf(folder: string): (string | IMenuEntry)[] {
  return [
    CommandIDs.details,
    CommandIDs.changeShare,
    ...(folder ? [{ command: CommandIDs.mountFolder, args: { folder } }] : []),
    CommandIDs.suspend,
    CommandIDs.resume,
    CommandIDs.open
  ];
}

/** What a notebook's kernel has of a GPU, or why it waits; a click opens a menu. */
export function KernelItem(props: {
  place: string;
  /** Return the notebook's folder if the session does not have it, else nothing. */
  lacking: () => Promise<string>;
}): JSX.Element | null {
  const { lacking, place } = props;
  const { commands, workspace, trans } = useUi();
  const [isOpen, setOpen] = useState(false);
  const result = useResult(workspace.sessions);
  const now = useNow(60_000);
  const session =
    result.status === 'ready'
      ? result.value.items.find(
          ({ spec }) => `${spec.project}/${spec.name}` === place
        )
      : undefined;
  if (!session) {
    return null;
  }
  const text = itemText(trans, session);
  const isSimulated = Boolean(session.placement?.simulated);
  const StateIcon = stateIcon(session.state);
  const label = [
    text,
    isSimulated ? trans.__('simulated') : '',
    trans.__('Kernel in %1', session.spec.name)
  ];
  return (
    <button
      type="button"
      className={`jp-GpuQuota-chip jp-mod-${session.state}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      aria-label={label.filter(Boolean).join(', ')}
      title={`${session.spec.name}: ${statusText(trans, session, now)}`}
      onClick={({ currentTarget: from }) => {
        const { left, bottom } = from.getBoundingClientRect();
        setOpen(true);
        const open = (folder: string) =>
          openMenu(
            commands,
            menuOf(folder),
            session,
            { x: left, y: bottom },
            from,
            () => setOpen(false)
          );
        void lacking().then(open, () => open(''));
      }}
    >
      <span className="jp-GpuQuota-state">
        <StateIcon.react tag="span" />
      </span>
      <span className="jp-GpuQuota-chipText">{text}</span>
      {isSimulated ? <Simulated trans={trans} /> : null}
      <caretDownIcon.react tag="span" />
    </button>
  );
}

/** Return the share with what is used of its memory; the state while the session does not run. */
function itemText(trans: TranslationBundle, session: Session): string {
  const share = shareText(trans, session.spec.share);
  if (session.state !== 'running') {
    return `${share} · ${lineText(trans, session) || stateText(trans, session)}`;
  }
  const used = session.usage?.memory;
  const most = sliceMemory(session) || session.spec.share.memory;
  if (session.placement?.simulated || used === null || used === undefined) {
    return share;
  }
  return most
    ? `${share} · ${trans.__('%1 of %2', memory(used), memory(most))}`
    : `${share} · ${memory(used)}`;
}

/** Make the item; what it shows is watched in the background. */
export function makeKernelItem(
  ui: IUi,
  place: string,
  lacking: () => Promise<string>
): Widget {
  const shown = <KernelItem place={place} lacking={lacking} />;
  const item = new LiveWidget(ui, shown, []);
  item.addClass('jp-GpuQuota-kernelItem');
  return item;
}
