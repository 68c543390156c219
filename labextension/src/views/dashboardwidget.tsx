import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { DashboardView } from './dashboard';
import { IUi, LiveWidget } from './ui';

/** Make the team's dashboard. */
export function makeDashboardWidget(ui: IUi): MainAreaWidget {
  const { about, quota, sessions, nodes } = ui.quota;
  const content = new LiveWidget(ui, <DashboardView />, [
    about,
    quota,
    sessions,
    nodes
  ]);
  content.addClass('jp-GpuQuota-dashboardWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
