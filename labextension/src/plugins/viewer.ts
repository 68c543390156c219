import { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Session } from '../api/models';
import { CommandIDs, SESSION_ARGS } from '../commands';
import type { IUi } from '../views/parts/ui';
import { chooseSession } from './dialogs';
import { MainArea } from './mainarea';
import { report } from '../views/parts/report';
import { find } from './sessioncommands';

interface IViewer {
  command: typeof CommandIDs.logs | typeof CommandIDs.details;
  /** In a session's own menu, and where the session is yet to be chosen. */
  label: string;
  longLabel: string;
  icon: LabIcon;
  title: (name: string) => string;
  /** Which sessions it can be shown of. */
  fits: (session: Session) => boolean;
  make: (id: string) => Promise<MainAreaWidget>;
}

/** Add a command that shows one session in the main area, each session once. */
export function addViewer(
  app: JupyterFrontEnd,
  ui: IUi,
  restorer: ILayoutRestorer | null,
  viewer: IViewer
): void {
  const { workspace, trans } = ui;
  const { command, fits, label, longLabel, icon } = viewer;
  const main = new MainArea(app, command.replace(':', '-'));
  const idOf = (id: string) => `jupyter-${command}:${id}`;
  /** What a title says until the list has been read, after a reload, too. */
  const nameOf = new Map<string, string>();
  const show = (id: string, name: string) =>
    main.show(idOf(id), {
      label: viewer.title(name),
      icon,
      make: () => {
        nameOf.set(idOf(id), name);
        return viewer.make(id);
      }
    });
  /** After a reload the list is not there yet: what was open then is shown again. */
  const isShown = (args: ReadonlyPartialJSONObject) => {
    const session = find(workspace, args);
    return !session || fits(session);
  };
  app.commands.addCommand(command, {
    label: args => (args.id || args.name ? label : longLabel),
    icon,
    describedBy: { args: SESSION_ARGS },
    isEnabled: args => isShown(args),
    isVisible: args => isShown(args),
    execute: async args => {
      try {
        const session =
          find(workspace, args) ??
          (args.id
            ? undefined
            : await chooseSession(workspace, longLabel, fits, trans));
        const id = session?.id ?? args.id;
        if (id) {
          await show(String(id), session?.spec.name ?? String(args.name ?? id));
        }
      } catch (error) {
        report(trans, error);
      }
    }
  });
  void restorer?.restore(main.tracker, {
    command,
    args: ({ id }) => ({
      id: id.slice(idOf('').length),
      name: nameOf.get(id) ?? ''
    }),
    name: ({ id }) => id
  });
}
