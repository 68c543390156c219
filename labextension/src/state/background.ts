import { DisposableSet, IDisposable } from '@lumino/disposable';
import { IGpuQuota } from '../tokens';
import { IN_BACKGROUND, IResource } from './resource';

/**
 * Watch things that count while nobody looks, once the server half is known to be there.
 *
 * Where it is missing, only that is asked now and then.
 */
export function watchInBackground(
  quota: IGpuQuota,
  resources: readonly IResource<unknown>[]
): IDisposable {
  const { about } = quota;
  const watchers = new DisposableSet();
  watchers.add(about.watch(IN_BACKGROUND));
  const onChanged = () => {
    if (about.result.status === 'ready') {
      about.changed.disconnect(onChanged);
      if (!watchers.isDisposed) {
        resources.forEach(item => watchers.add(item.watch(IN_BACKGROUND)));
      }
    }
  };
  about.changed.connect(onChanged);
  onChanged();
  return watchers;
}
