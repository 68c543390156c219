import { JupyterFrontEnd } from '@jupyterlab/application';
import { TabPanel, Widget } from '@lumino/widgets';

/** Add a panel to the tabs of Notebook 7's file browser, a page without sidebars. */
export function addToTree({ shell }: JupyterFrontEnd, widget: Widget): void {
  const tabs = [...shell.widgets('main')].find(main =>
    main.hasClass('jp-TreePanel')
  );
  if (tabs instanceof TabPanel) {
    widget.title.label = widget.title.caption;
    tabs.addWidget(widget);
  }
}

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
    widget.title.className = 'jp-GpuQuota-belowTab';
    app.shell.add(widget, 'down', { type: 'gpuquota' });
  }
  goTo(app, widget);
}

/** Go to a widget; Notebook 7 leaves the tabs below its page and in its file browser as they are. */
export function goTo({ shell }: JupyterFrontEnd, widget: Widget): void {
  const tabs = widget.parent?.parent;
  shell.activateById(widget.id);
  if (tabs instanceof TabPanel) {
    tabs.currentWidget = widget;
    widget.activate();
  }
}
