import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { LogModel } from '../../state/logs/log';
import { LogView } from './logs';
import { IUi, LiveWidget } from '../parts/ui';

/** Make the viewer of one session's log. */
export function makeLogWidget(ui: IUi, id: string): MainAreaWidget {
  const { workspace } = ui;
  const model: LogModel = new LogModel(
    (query, signal) => workspace.actions.log(id, query, signal),
    () => content.isVisible
  );
  const content = new LogWidget(ui, <LogView model={model} id={id} />, [
    workspace.sessions
  ]);
  content.onShown = () => model.wake();
  let since = workspace.session(id)?.since;
  const onSessions = () => {
    const session = workspace.session(id);
    // One that was resumed writes on, and may have ended again before anyone saw it run.
    if (model.hasEnded && session && session.since !== since) {
      model.wake();
    }
    since = session?.since ?? since;
  };
  workspace.sessions.changed.connect(onSessions);
  content.disposed.connect(() => {
    workspace.sessions.changed.disconnect(onSessions);
    model.dispose();
  });
  content.addClass('jp-GpuQuota-logWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}

/** A widget that reports when it becomes visible again. */
class LogWidget extends LiveWidget {
  onShown: () => void = () => undefined;

  protected onAfterShow(): void {
    super.onAfterShow();
    this.onShown();
  }
}
