import { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import {
  ReadonlyJSONObject,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';
import { report } from '../../views/parts/report';
import type { IUi } from '../../views/parts/ui';
import { MainArea } from '../mainarea';

/** What a command shows in the main area, every part of its arguments as text. */
export type Place<Part extends string> = Record<Part, string>;

/** A command that shows something in the main area, each thing once. */
export interface IPlaces<Part extends string> {
  readonly command: string;
  /** In the palette, where the user is asked. */
  readonly label: string;
  readonly icon: LabIcon;
  /** The schema of the arguments. */
  readonly args: {
    readonly type: 'object';
    readonly properties: Readonly<Record<Part, ReadonlyJSONObject>>;
  };
  /** The part without which the user is asked; a command without one takes no arguments. */
  readonly needs?: Part;
  /** What tells one thing from another. */
  readonly idOf: (place: Place<Part>) => string;
  readonly title: (place: Place<Part>) => string;
  readonly ask?: () => Promise<Place<Part> | null>;
  /** `onMoved` hears what is shown after a reload instead. */
  readonly make: (
    place: Place<Part>,
    onMoved: (place: Place<Part>) => void
  ) => Promise<MainAreaWidget>;
}

/** Add a command that shows something in the main area. */
export function addPlaces<Part extends string>(
  app: JupyterFrontEnd,
  ui: IUi,
  restorer: ILayoutRestorer | null,
  places: IPlaces<Part>
): void {
  const { args: schema, ask, command, icon, label, needs } = places;
  const main = new MainArea(app, command.replace(':', '-'));
  const shown = new Map<string, Place<Part>>();
  const show = async (place: Place<Part>) => {
    const id = `jupyter-${command}:${places.idOf(place)}`;
    shown.set(id, shown.get(id) ?? place);
    const onMoved = (moved: Place<Part>) => {
      shown.set(id, moved);
      const widget = main.tracker.find(item => item.id === id);
      void (widget && main.tracker.save(widget));
    };
    await main.show(id, {
      label: places.title(place),
      icon,
      make: () => places.make(place, onMoved)
    });
  };
  const read = (args: ReadonlyPartialJSONObject) =>
    Object.fromEntries(
      Object.keys(schema.properties).map(name => [
        name,
        String(args[name] ?? '')
      ])
    ) as Place<Part>;
  app.commands.addCommand(command, {
    label,
    icon,
    describedBy: { args: { ...schema } },
    execute: async args => {
      try {
        const isNamed = !needs || Boolean(args[needs]);
        const place = isNamed ? read(args) : await ask?.();
        await (place && show(place));
      } catch (error) {
        report(ui.trans, error);
      }
    }
  });
  void restorer?.restore(main.tracker, {
    command,
    args: ({ id }) => ({ ...shown.get(id) }),
    name: ({ id }) => id
  });
}
