import { Widget } from '@lumino/widgets';
import { LazyWidget } from '../parts/lazy';
import { IUi } from '../parts/ui';

/** Make the panel's section on datasets, which is loaded when it is first opened. */
export function create(ui: IUi): Widget {
  const widget = new LazyWidget(async () => {
    const { makeSection } = await import(
      /* webpackChunkName: "datasets" */ '../datasets/section'
    );
    return makeSection(ui);
  });
  widget.addClass('jp-GpuQuota-lazySection');
  widget.title.label = ui.trans.__('Datasets');
  return widget;
}
