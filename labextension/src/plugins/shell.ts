import { JupyterFrontEnd } from '@jupyterlab/application';
import { Widget } from '@lumino/widgets';

/**
 * Show a widget in the main area and go to it.
 *
 * Notebook 7 has room for one widget there and takes no second: then it is shown below.
 */
export function showInMain(app: JupyterFrontEnd, widget: Widget): void {
  if (!widget.isAttached) {
    app.shell.add(widget, 'main', { type: 'gpuquota' });
  }
  if (!widget.isAttached) {
    widget.addClass('jp-GpuQuota-below');
    app.shell.add(widget, 'down', { type: 'gpuquota' });
  }
  app.shell.activateById(widget.id);
}
