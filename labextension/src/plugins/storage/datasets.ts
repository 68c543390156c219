import { folderIcon } from '@jupyterlab/ui-components';
import { CommandIDs, VERSION_ARGS } from '../../commands';
import { mainPlugin } from '../mainarea';
import { addPlaces, IPlaces } from './places';

type Part = keyof (typeof VERSION_ARGS)['properties'];

/** Files, comparisons and lineages of datasets in the main area. */
export const datasets = mainPlugin(
  'jupyter-gpuquota:datasets',
  'The files of datasets, what differs between versions, lineage.',
  (app, ui, restorer) => {
    const { trans } = ui;
    const short = (id: string) => id.slice(0, 12);
    const add = (
      places: Pick<IPlaces<Part>, 'command' | 'label' | 'title' | 'make'>
    ) =>
      addPlaces<Part>(app, ui, restorer, {
        ...places,
        icon: folderIcon,
        args: VERSION_ARGS,
        needs: 'dataset',
        idOf: ({ dataset, other, version }) => `${dataset}@${version}${other}`,
        ask: async () => {
          const { askForPlace } = await import(
            /* webpackChunkName: "storage" */ '../../views/datasets/asking'
          );
          return askForPlace(ui, places.command === CommandIDs.compareVersions);
        }
      });
    add({
      command: CommandIDs.browseDataset,
      label: trans.__('Browse a Dataset…'),
      title: ({ dataset, version }) => `${dataset}@${short(version)}`,
      make: async (place, onMoved) =>
        (await widgets()).makeBrowser(ui, place, path =>
          onMoved({ ...place, path })
        )
    });
    add({
      command: CommandIDs.compareVersions,
      label: trans.__('Compare Versions of a Dataset…'),
      title: ({ dataset, other, version }) =>
        `${dataset}: ${short(version)} → ${short(other)}`,
      make: async place => (await widgets()).makeComparison(ui, place)
    });
    add({
      command: CommandIDs.lineage,
      label: trans.__('Show the Lineage of a Dataset…'),
      title: ({ dataset }) => trans.__('Lineage of %1', dataset),
      make: async place => (await widgets()).makeLineage(ui, place)
    });
  }
);

function widgets() {
  return import(
    /* webpackChunkName: "storage" */ '../../views/datasets/widgets'
  );
}
