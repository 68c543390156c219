import { CommandIDs, NO_ARGS, SNAPSHOT_ARGS } from '../../commands';
import { snapshotIcon } from '../../icons';
import { mainPlugin } from '../mainarea';
import { addPlaces, IPlaces } from './places';

type Part = keyof (typeof SNAPSHOT_ARGS)['properties'];

/** Snapshots in the main area: all of them, one, its lineage, and two compared. */
export const snapshots = mainPlugin(
  'jupyter-gpuquota:snapshots',
  'The views of snapshots in the main area.',
  (app, ui, restorer) => {
    const { trans } = ui;
    const short = (id: string) => id.slice(0, 12);
    addPlaces(app, ui, restorer, {
      command: CommandIDs.snapshots,
      label: trans.__('Show Snapshots'),
      icon: snapshotIcon,
      args: NO_ARGS,
      idOf: () => '',
      title: () => trans.__('Snapshots'),
      make: async () => (await widgets()).makeTable(ui)
    });
    const add = (
      places: Pick<IPlaces<Part>, 'command' | 'label' | 'title' | 'make'>
    ) =>
      addPlaces<Part>(app, ui, restorer, {
        ...places,
        icon: snapshotIcon,
        args: SNAPSHOT_ARGS,
        needs: 'snapshot',
        idOf: ({ other, snapshot }) => `${snapshot}${other}`,
        ask: async () => {
          await app.commands.execute(CommandIDs.snapshots);
          return null;
        }
      });
    add({
      command: CommandIDs.showSnapshot,
      label: trans.__('Show a Snapshot…'),
      title: ({ snapshot }) => trans.__('Snapshot %1', short(snapshot)),
      make: async ({ snapshot }) => (await widgets()).makeSnapshot(ui, snapshot)
    });
    add({
      command: CommandIDs.compareSnapshots,
      label: trans.__('Compare Snapshots…'),
      title: ({ other, snapshot }) => `${short(snapshot)} → ${short(other)}`,
      make: async place => (await widgets()).makeComparison(ui, place)
    });
    add({
      command: CommandIDs.snapshotLineage,
      label: trans.__('Show the Lineage of a Snapshot…'),
      title: ({ snapshot }) => trans.__('Lineage of %1', short(snapshot)),
      make: async ({ snapshot }) => (await widgets()).makeLineage(ui, snapshot)
    });
  }
);

function widgets() {
  return import(
    /* webpackChunkName: "storage" */ '../../views/snapshots/widgets'
  );
}
