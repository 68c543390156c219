import { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { NO_ARGS } from '../commands';
import { gpuIcon } from '../icons';
import type { IUi } from '../views/parts/ui';
import { MainArea } from './mainarea';
import { report } from '../views/parts/report';

interface ISingle {
  /** Of the plugin; the widget has it, too. */
  id: string;
  command: string;
  label: string;
  caption: string;
  title: string;
  isVisible?: () => boolean;
  make: () => Promise<MainAreaWidget>;
}

/** Add a command that shows the one widget of its kind in the main area. */
export function addSingle(
  app: JupyterFrontEnd,
  { trans }: IUi,
  restorer: ILayoutRestorer | null,
  { id, command, title, make, ...shown }: ISingle
): void {
  const main = new MainArea(app, id.replace(':', '-'));
  app.commands.addCommand(command, {
    ...shown,
    icon: gpuIcon,
    describedBy: { args: NO_ARGS },
    execute: async () => {
      try {
        await main.show(id, { label: title, icon: gpuIcon, make });
      } catch (error) {
        report(trans, error);
      }
    }
  });
  void restorer?.restore(main.tracker, {
    command,
    name: () => id.split(':')[1]
  });
}
