import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { SnapshotComparison } from '../../api/models';
import { routes } from '../../api/routes';
import { IResource, Resource } from '../../state/resource';
import { allSnapshots, ofSnapshot } from '../../state/snapshots/list';
import { LineageView } from '../datasets/lineage';
import { IUi, LiveWidget, inMain } from '../parts/ui';
import { CompareSnapshots } from './compare';
import { SnapshotView } from './details';
import { SnapshotTable } from './list';
import { shortId } from './texts';
import '../datasets/style';

/** Make the table of all snapshots. */
export function makeTable(ui: IUi): MainAreaWidget {
  const resource = allSnapshots(ui.workspace);
  return watching(ui, <SnapshotTable resource={resource} />, resource);
}

/** Make the view of one snapshot. */
export function makeSnapshot(ui: IUi, snapshot: string): MainAreaWidget {
  const { workspace } = ui;
  const args = { snapshot };
  const resource = ofSnapshot(
    workspace,
    `${routes.snapshotsGet.name} ${snapshot}`,
    background => workspace.call(routes.snapshotsGet, { args, background })
  );
  return watching(ui, <SnapshotView resource={resource} />, resource);
}

/** Make the comparison of two snapshots. */
export function makeComparison(
  ui: IUi,
  { other, snapshot }: { snapshot: string; other: string }
): MainAreaWidget {
  const { workspace } = ui;
  const args = { snapshot };
  // Snapshots never change, and neither does what differs between them.
  let known: SnapshotComparison | undefined;
  const resource = ofSnapshot(
    workspace,
    `${routes.snapshotsCompare.name} ${snapshot} ${other}`,
    async background => {
      known ??= await workspace.call(routes.snapshotsCompare, {
        args,
        query: { other },
        background
      });
      return known;
    }
  );
  return watching(ui, <CompareSnapshots resource={resource} />, resource);
}

/** Make the drawing of a snapshot's lineage. */
export function makeLineage(ui: IUi, snapshot: string): MainAreaWidget {
  const { trans, workspace } = ui;
  const args = { snapshot };
  const resource = ofSnapshot(
    workspace,
    `${routes.snapshotsLineage.name} ${snapshot}`,
    background => workspace.call(routes.snapshotsLineage, { args, background })
  );
  const view = (
    <LineageView
      resource={resource}
      middle="snapshot"
      file={`${shortId(snapshot)}-lineage`}
      title={trans.__('Lineage of %1', shortId(snapshot))}
      legend={trans.__('Left: made from. Middle: snapshots. Right: restored.')}
    />
  );
  return watching(ui, view, resource);
}

function watching<T>(
  ui: IUi,
  view: JSX.Element,
  resource: Resource<T>
): MainAreaWidget {
  const newest = ui.workspace.resource('snapshots');
  const watched = [resource, newest] as IResource<unknown>[];
  const content = new LiveWidget(ui, view, watched);
  content.disposed.connect(() => resource.dispose());
  content.addClass('jp-GpuQuota-detailsWidget');
  return inMain(content);
}
