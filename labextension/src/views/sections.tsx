import { IStateDB } from '@jupyterlab/statedb';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { SessionsView } from './sessions';
import { TeamView } from './team';
import { IUi, LiveWidget } from './ui';

/** Make the panel's section on quota. */
export function makeTeam(
  ui: IUi,
  state: IStateDB | null,
  title: string
): Widget {
  const { quota, sessions } = ui.quota;
  const widget = new LiveWidget(ui, <TeamView state={state} />, [
    quota,
    sessions
  ]);
  widget.addClass('jp-GpuQuota-teamSection');
  widget.title.label = title;
  return widget;
}

/** Make the panel's section on sessions. */
export function makeSessions(ui: IUi, title: string): Widget {
  const widget = new LiveWidget(ui, <SessionsView />, [ui.quota.sessions]);
  widget.addClass('jp-GpuQuota-sessionsSection');
  widget.title.label = title;
  return widget;
}
