import { Widget } from '@lumino/widgets';
import React from 'react';
import { Loaded } from '../parts/loaded';
import { IUi, LiveWidget, useUi } from '../parts/ui';

/** Make the panel's section on licences. */
export function create(ui: IUi): Widget {
  const licences = ui.workspace.resource('licences');
  const widget = new LiveWidget(ui, <LicencesView />, [licences]);
  widget.title.label = ui.trans.__('Licences');
  return widget;
}

/** All licences, and how many seats are free. */
export function LicencesView(): JSX.Element {
  const { workspace, trans } = useUi();
  return (
    <Loaded resource={workspace.resource('licences')}>
      {({ licences }) => (
        <ul>
          {licences.map(({ name, free, total }) => (
            <li key={name}>
              {trans.__('%1: %2 of %3 free', name, free, total)}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
