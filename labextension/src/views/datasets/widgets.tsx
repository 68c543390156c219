import { MainAreaWidget } from '@jupyterlab/apputils';
import React from 'react';
import { Lineage } from '../../api/models';
import { routes } from '../../api/routes';
import { FileBrowser } from '../../state/datasets/browser';
import { IPair, VersionComparison } from '../../state/datasets/comparison';
import { Resource } from '../../state/resource';
import { IUi, LiveWidget, inMain } from '../parts/ui';
import { BrowserView } from './browser';
import { CompareView } from './compare';
import { LineageView } from './lineage';
import './style';

/** Make the browser of a version's files; `onFolder` hears which folder it shows. */
export function makeBrowser(
  ui: IUi,
  place: { dataset: string; version: string; path: string },
  onFolder: (path: string) => void
): MainAreaWidget {
  const { dataset, path, version } = place;
  const model = new FileBrowser(ui.workspace, { dataset, version }, path);
  let last = path;
  model.changed.connect(() => {
    // After a reload a folder whose name is not text opens as the one above.
    const known = model.crumbs.filter(({ raw }) => !raw).pop()?.path ?? '';
    if (known !== last) {
      last = known;
      onFolder(known);
    }
  });
  const content = new LiveWidget(ui, <BrowserView model={model} />, []);
  content.disposed.connect(() => model.dispose());
  content.addClass('jp-GpuQuota-dataWidget');
  return inMain(content);
}

/** Make the comparison of two versions. */
export function makeComparison(ui: IUi, pair: IPair): MainAreaWidget {
  const model = new VersionComparison(ui.workspace, pair);
  const content = new LiveWidget(ui, <CompareView model={model} />, []);
  content.disposed.connect(() => model.dispose());
  content.addClass('jp-GpuQuota-dataWidget');
  return inMain(content);
}

/** Make the drawing of a dataset's lineage, or of one of its versions. */
export function makeLineage(
  ui: IUi,
  { dataset, version }: { dataset: string; version: string }
): MainAreaWidget {
  const { workspace } = ui;
  const resource = new Resource<Lineage>({
    name: `${routes.lineageGet.name} ${dataset}`,
    interval: workspace.preferences.values.pollInterval * 1000,
    read: async () => {
      const value = await workspace.call(routes.lineageGet, {
        args: { dataset },
        query: version ? { version } : {},
        background: true
      });
      return { value, etag: '' };
    }
  });
  const { trans } = ui;
  const view = (
    <LineageView
      resource={resource}
      middle="version"
      title={trans.__('Lineage of %1', dataset)}
      legend={trans.__('Left: made by. Middle: versions. Right: used by.')}
      file={`${dataset}-lineage`}
    />
  );
  const content = new LiveWidget(ui, view, [resource]);
  content.disposed.connect(() => resource.dispose());
  content.addClass('jp-GpuQuota-dataWidget');
  return inMain(content);
}
