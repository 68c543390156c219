import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { AdministrationView } from './administration';
import { IUi, LiveWidget } from '../parts/ui';

/** Make the admins' view of what is set. */
export function makeAdministrationWidget(ui: IUi): MainAreaWidget {
  const { quota, nodes, sessions, administration } = ui.workspace;
  const content = new LiveWidget(ui, <AdministrationView />, [
    quota,
    nodes,
    sessions, // for their names
    administration.projects,
    administration.rules,
    administration.groups,
    administration.policy,
    administration.audit
  ]);
  content.addClass('jp-GpuQuota-dashboardWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
