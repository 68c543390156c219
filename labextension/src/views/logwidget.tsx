import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { LogModel } from '../state/log';
import { LogView } from './logs';
import { IUi, LiveWidget } from './ui';

/** Make the viewer of one session's log. */
export function makeLogWidget(ui: IUi, id: string): MainAreaWidget {
  const { quota } = ui;
  const model: LogModel = new LogModel(
    (query, signal) => quota.actions.log(id, query, signal),
    () => content.isVisible
  );
  const content = new LogWidget(ui, <LogView model={model} />, [
    quota.sessions
  ]);
  content.onShown = () => model.wake();
  let since = quota.session(id)?.since;
  const onSessions = () => {
    const session = quota.session(id);
    // One that was resumed writes on, and may have ended again before anyone saw it run.
    if (model.hasEnded && session && session.since !== since) {
      model.wake();
    }
    since = session?.since ?? since;
  };
  quota.sessions.changed.connect(onSessions);
  content.disposed.connect(() => {
    quota.sessions.changed.disconnect(onSessions);
    model.dispose();
  });
  content.addClass('jp-GpuQuota-logWidget');
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  return widget;
}

/** Tell when it is looked at again. */
class LogWidget extends LiveWidget {
  onShown: () => void = () => undefined;

  protected onAfterShow(): void {
    super.onAfterShow();
    this.onShown();
  }
}
