import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { SessionAdvice } from '../../state/advice';
import { SessionIdleness } from '../../state/idle/sessionidleness';
import { DetailsView } from './details';
import { IUi, LiveWidget } from '../parts/ui';

/** Make the view of one session. */
export function makeDetailsWidget(ui: IUi, id: string): MainAreaWidget {
  const model = new SessionAdvice(ui.workspace, id);
  const idleness = new SessionIdleness(ui.workspace, id);
  const content = new LiveWidget(
    ui,
    <DetailsView
      id={id}
      advice={model.advice}
      idleness={idleness}
      onNamed={name => {
        widget.title.label = name;
      }}
    />,
    [
      ui.workspace.sessions,
      ui.workspace.resource('gpus'),
      ui.workspace.resource('utilisation'),
      model.advice,
      idleness.activity,
      idleness.policy
    ]
  );
  content.disposed.connect(() => {
    model.dispose();
    idleness.dispose();
  });
  content.addClass('jp-GpuQuota-detailsWidget');
  const widget: MainAreaWidget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
