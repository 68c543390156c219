import { Widget } from '@lumino/widgets';
import { LazyWidget } from '../parts/lazy';
import { IUi } from '../parts/ui';

/** Make a section whose content is loaded when it is first opened. */
function lazy(title: string, load: () => Promise<Widget>): Widget {
  const widget = new LazyWidget(load);
  widget.addClass('jp-GpuQuota-lazySection');
  widget.title.label = title;
  return widget;
}

/** The panel's section on datasets. */
export const datasets = {
  create: (ui: IUi): Widget =>
    lazy(ui.trans.__('Datasets'), async () => {
      const { makeSection } = await import(
        /* webpackChunkName: "storage" */ '../datasets/section'
      );
      return makeSection(ui);
    })
};

/** The panel's section on volumes. */
export const volumes = {
  create: (ui: IUi): Widget =>
    lazy(ui.trans.__('Volumes'), async () => {
      const { makeSection } = await import(
        /* webpackChunkName: "storage" */ '../volumes/section'
      );
      return makeSection(ui);
    })
};

/** The panel's section on snapshots. */
export const snapshots = {
  create: (ui: IUi): Widget =>
    lazy(ui.trans.__('Snapshots'), async () => {
      const { makeSection } = await import(
        /* webpackChunkName: "storage" */ '../snapshots/section'
      );
      return makeSection(ui);
    })
};
