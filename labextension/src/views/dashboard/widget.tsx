import { MainAreaWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import React from 'react';
import { DashboardView } from './dashboard';
import { IUi, LiveWidget } from '../parts/ui';

/** Make the team's dashboard. */
export function makeDashboardWidget(
  ui: IUi,
  renderMime: IRenderMimeRegistry | null
): MainAreaWidget {
  const { about, quota, sessions, nodes, past } = ui.workspace;
  const content = new LiveWidget(
    ui,
    <DashboardView renderMime={renderMime} />,
    [about, quota, sessions, nodes, past.history]
  );
  content.addClass('jp-GpuQuota-dashboardWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
