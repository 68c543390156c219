import { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import { CommandIDs, SESSION_ARGS } from '../commands';
import type { IUi } from '../views/ui';
import { chooseSession } from './dialogs';
import { report } from './report';
import { find } from './sessioncommands';
import { showInMain } from './shell';

interface IViewer {
  command: typeof CommandIDs.logs | typeof CommandIDs.details;
  /** In a session's own menu, and where the session is yet to be chosen. */
  label: string;
  longLabel: string;
  icon: LabIcon;
  title: (name: string) => string;
  make: (id: string) => Promise<MainAreaWidget>;
}

/** Add a command that shows one session in the main area, each session once. */
export function addViewer(
  app: JupyterFrontEnd,
  ui: IUi,
  restorer: ILayoutRestorer | null,
  viewer: IViewer
): void {
  const { quota, trans } = ui;
  const { command, label, longLabel, icon } = viewer;
  const tracker = new WidgetTracker<MainAreaWidget>({
    namespace: command.replace(':', '-')
  });
  const idOf = (id: string) => `jupyter-${command}:${id}`;
  /** What a title says until the list has been read, after a reload, too. */
  const nameOf = new Map<string, string>();
  const show = async (id: string, name: string) => {
    let widget = tracker.find(({ id: other }) => other === idOf(id));
    if (!widget) {
      widget = await viewer.make(id);
      widget.id = idOf(id);
      nameOf.set(widget.id, name);
      widget.title.label = viewer.title(name);
      widget.title.icon = icon;
      widget.title.closable = true;
      await tracker.add(widget);
    }
    showInMain(app, widget);
  };
  app.commands.addCommand(command, {
    label: args => (args.id || args.name ? label : longLabel),
    icon,
    describedBy: { args: SESSION_ARGS },
    execute: async args => {
      try {
        const session =
          find(quota, args) ??
          (args.id
            ? undefined
            : await chooseSession(quota, longLabel, () => true, trans));
        const id = session?.id ?? args.id;
        if (id) {
          await show(String(id), session?.spec.name ?? String(args.name ?? id));
        }
      } catch (error) {
        report(trans, error);
      }
    }
  });
  void restorer?.restore(tracker, {
    command,
    args: ({ id }) => ({
      id: id.slice(idOf('').length),
      name: nameOf.get(id) ?? ''
    }),
    name: ({ id }) => id
  });
}
