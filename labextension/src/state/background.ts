import { DisposableSet, IDisposable } from '@lumino/disposable';
import { IGpuWorkspace } from '../tokens';
import { IN_BACKGROUND, IResource } from './resource';

/**
 * Watch what matters while no view is open, once the server extension has answered.
 *
 * Where it is missing, only that is asked now and then.
 */
export function watchInBackground(
  workspace: IGpuWorkspace,
  resources: readonly IResource<unknown>[]
): IDisposable {
  const { about } = workspace;
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
