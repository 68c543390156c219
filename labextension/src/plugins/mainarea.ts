import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';
import { showInMain } from './shell';

interface IMaking {
  label: string;
  icon: LabIcon;
  make: () => Promise<MainAreaWidget>;
}

/** The widgets of one kind in the main area, each created once. */
export class MainArea {
  constructor(
    private _app: JupyterFrontEnd,
    namespace: string
  ) {
    this.tracker = new WidgetTracker<MainAreaWidget>({ namespace });
  }

  /** What a restorer brings back after a reload. */
  readonly tracker: WidgetTracker<MainAreaWidget>;

  /** Go to the widget with an id; where there is none, make it. */
  async show(id: string, making: IMaking): Promise<void> {
    let made = this._made.get(id);
    if (!made) {
      made = this._make(id, making);
      this._made.set(id, made);
      // The next click tries again.
      made.catch(() => this._made.delete(id));
    }
    showInMain(this._app, await made);
  }

  private async _make(id: string, making: IMaking): Promise<MainAreaWidget> {
    const widget = await making.make();
    widget.id = id;
    widget.title.label = making.label;
    widget.title.icon = making.icon;
    widget.title.closable = true;
    widget.disposed.connect(() => this._made.delete(id));
    await this.tracker.add(widget);
    return widget;
  }

  private _made = new Map<string, Promise<MainAreaWidget>>();
}

/** A plugin whose commands show widgets in the main area. */
export function mainPlugin(
  id: string,
  description: string,
  activate: (
    app: JupyterFrontEnd,
    ui: IUi,
    restorer: ILayoutRestorer | null
  ) => void
): JupyterFrontEndPlugin<void> {
  return {
    id,
    description,
    autoStart: true,
    requires: [IGpuWorkspace],
    optional: [ITranslator, ILayoutRestorer],
    activate: (
      app: JupyterFrontEnd,
      workspace: IGpuWorkspace,
      translator: ITranslator | null,
      restorer: ILayoutRestorer | null
    ) =>
      activate(
        app,
        { workspace, commands: app.commands, trans: ours(translator) },
        restorer
      )
  };
}
