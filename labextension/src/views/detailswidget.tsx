import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { DetailsView } from './details';
import { IUi, LiveWidget } from './ui';

/** Make the view of one session. */
export function makeDetailsWidget(ui: IUi, id: string): MainAreaWidget {
  const content = new LiveWidget(
    ui,
    <DetailsView
      id={id}
      onNamed={name => {
        widget.title.label = name;
      }}
    />,
    [ui.quota.sessions]
  );
  content.addClass('jp-GpuQuota-detailsWidget');
  const widget: MainAreaWidget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}
