import { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { folderIcon } from '@jupyterlab/ui-components';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, VERSION_ARGS } from '../commands';
import { report } from '../views/parts/report';
import type { IUi } from '../views/parts/ui';
import { MainArea, mainPlugin } from './mainarea';

/** What the commands on versions take, every part as text. */
interface IPlace {
  dataset: string;
  version: string;
  other: string;
  path: string;
}

interface IPlaces {
  command: string;
  /** In the palette, where the user is asked; and of the widget. */
  label: string;
  title: (place: IPlace) => string;
  make: (
    place: IPlace,
    onPath: (path: string) => void
  ) => Promise<MainAreaWidget>;
}

/** Files, comparisons and lineages of datasets in the main area. */
export const datasets = mainPlugin(
  'jupyter-gpuquota:datasets',
  'The files of datasets, what differs between versions, lineage.',
  (app, ui, restorer) => {
    const { trans } = ui;
    const short = (id: string) => id.slice(0, 12);
    addPlaces(app, ui, restorer, {
      command: CommandIDs.browseDataset,
      label: trans.__('Browse a Dataset…'),
      title: ({ dataset, version }) => `${dataset}@${short(version)}`,
      make: async (place, onPath) =>
        (await widgets()).makeBrowser(ui, place, onPath)
    });
    addPlaces(app, ui, restorer, {
      command: CommandIDs.compareVersions,
      label: trans.__('Compare Versions of a Dataset…'),
      title: ({ dataset, other, version }) =>
        `${dataset}: ${short(version)} → ${short(other)}`,
      make: async place => (await widgets()).makeComparison(ui, place)
    });
    addPlaces(app, ui, restorer, {
      command: CommandIDs.lineage,
      label: trans.__('Show the Lineage of a Dataset…'),
      title: ({ dataset }) => trans.__('Lineage of %1', dataset),
      make: async place => (await widgets()).makeLineage(ui, place)
    });
  }
);

function widgets() {
  return import(/* webpackChunkName: "datasets" */ '../views/datasets/widgets');
}

/** Add a command that shows something of a dataset in the main area, each thing once. */
function addPlaces(
  app: JupyterFrontEnd,
  ui: IUi,
  restorer: ILayoutRestorer | null,
  { command, label, make, title }: IPlaces
): void {
  const main = new MainArea(app, command.replace(':', '-'));
  const shown = new Map<string, IPlace>();
  const show = async (place: IPlace) => {
    const { dataset, other, version } = place;
    const id = `jupyter-${command}:${dataset}@${version}${other}`;
    shown.set(id, { ...(shown.get(id) ?? place) });
    const onPath = (path: string) => {
      shown.set(id, { ...place, path });
      const widget = main.tracker.find(item => item.id === id);
      void (widget && main.tracker.save(widget));
    };
    await main.show(id, {
      label: title(place),
      icon: folderIcon,
      make: () => make(place, onPath)
    });
  };
  app.commands.addCommand(command, {
    label,
    icon: folderIcon,
    describedBy: { args: VERSION_ARGS },
    execute: async args => {
      try {
        const place = placeOf(args) ?? (await ask(ui, command));
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

function placeOf(args: ReadonlyPartialJSONObject): IPlace | undefined {
  const text = (name: string) => String(args[name] ?? '');
  return args.dataset
    ? {
        dataset: text('dataset'),
        version: text('version'),
        other: text('other'),
        path: text('path')
      }
    : undefined;
}

async function ask(ui: IUi, command: string): Promise<IPlace | null> {
  const { askForPlace } = await import(
    /* webpackChunkName: "datasets" */ '../views/datasets/asking'
  );
  return askForPlace(ui, command === CommandIDs.compareVersions);
}
