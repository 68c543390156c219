import { ISessionContext } from '@jupyterlab/apputils';
import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { aboutSession } from './about';

/** Notebooks whose kernels are shut down because of us, not by a setting of the user. */
const changed = new WeakSet<ISessionContext>();

/**
 * Shut a template's kernel down when the last view of its notebook is closed.
 *
 * The session that it launched is then stopped or suspended, as the template says. While a cell
 * runs or waits, the kernel is left alone, as JupyterLab leaves all others.
 */
export function endWithNotebook(context: ISessionContext): IDisposable {
  const onChanged = () => void update(context);
  context.kernelChanged.connect(onChanged);
  context.statusChanged.connect(onChanged);
  onChanged();
  return new DisposableDelegate(() => {
    context.kernelChanged.disconnect(onChanged);
    context.statusChanged.disconnect(onChanged);
  });
}

async function update(context: ISessionContext): Promise<void> {
  const kernel = context.session?.kernel;
  const { template } = aboutSession((await kernel?.spec)?.metadata);
  if (context.isDisposed) {
    return;
  }
  const ends = typeof template === 'string' && kernel?.status !== 'busy';
  const { kernelPreference } = context;
  if (ends !== Boolean(kernelPreference.shutdownOnDispose)) {
    if (ends) {
      changed.add(context);
    } else if (!changed.delete(context)) {
      return; // the user's own setting
    }
    context.kernelPreference = { ...kernelPreference, shutdownOnDispose: ends };
  }
}
