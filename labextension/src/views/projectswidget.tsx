import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { ProjectsView } from './projects';
import { IUi, LiveWidget } from './ui';

/** Make the admins' view of projects. */
export function makeProjectsWidget(ui: IUi): MainAreaWidget {
  const { quota, administration } = ui.quota;
  const content = new LiveWidget(ui, <ProjectsView />, [
    quota,
    administration.projects,
    administration.audit
  ]);
  content.addClass('jp-GpuQuota-dashboardWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
