import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISessionContext } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import { watchInBackground } from '../../state/background';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import type { IUi } from '../../views/parts/ui';
import { aboutSession, IKernelAbout, missingFolder } from './about';

const ITEM = 'gpuquota';

/** Show in a notebook's toolbar what its kernel has of a GPU, where it runs in a session. */
export const kernelItem: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:kernel-item',
  description:
    "The share of a notebook's kernel that runs in a session, in the notebook's toolbar.",
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const ui: IUi = { workspace, commands: app.commands, trans };
    app.docRegistry.addWidgetExtension('Notebook', {
      createNew: (panel: NotebookPanel) => follow(ui, panel)
    });
  }
};

/** Show the item while the notebook's kernel is that of a session. */
function follow(ui: IUi, panel: NotebookPanel): IDisposable {
  const { sessionContext, toolbar } = panel;
  let place = '';
  let shown: Widget | null = null;
  let watcher: IDisposable | null = null;
  const clear = () => {
    shown?.dispose();
    watcher?.dispose();
    shown = watcher = null;
  };
  const update = async () => {
    const found = await placeOf(sessionContext);
    if (found === place || panel.isDisposed) {
      return;
    }
    place = found;
    clear();
    if (!found) {
      return;
    }
    const { makeKernelItem } = await import(
      /* webpackChunkName: "panel" */ '../../views/panel/kernelitem'
    );
    if (place === found && !shown && !panel.isDisposed) {
      shown = makeKernelItem(ui, found, () => lacking(sessionContext));
      watcher = watchInBackground(ui.workspace, [ui.workspace.sessions]);
      if (!toolbar.insertBefore('kernelName', ITEM, shown)) {
        toolbar.addItem(ITEM, shown);
      }
    }
  };
  const onChanged = () => void update();
  const closing = endWithNotebook(sessionContext);
  sessionContext.kernelChanged.connect(onChanged);
  onChanged();
  return new DisposableDelegate(() => {
    closing.dispose();
    sessionContext.kernelChanged.disconnect(onChanged);
    place = '';
    clear();
  });
}

/**
 * Return the session of a notebook's kernel, as `project/name`; empty for other kernels.
 *
 * The kernelspec of a template does not name it: the kernel does.
 */
async function placeOf({ session }: ISessionContext): Promise<string> {
  const kernel = session?.kernel;
  const about = aboutSession((await kernel?.spec)?.metadata);
  if (!kernel || typeof about.template !== 'string') {
    return named(about);
  }
  return named(aboutSession(await kernel.info));
}

/**
 * Return the notebook's folder if the session of its kernel does not have it, else nothing.
 *
 * The kernel knows it once it runs in the session. One that is busy would answer late.
 */
async function lacking({ session }: ISessionContext): Promise<string> {
  const kernel = session?.kernel;
  const reply =
    kernel?.status === 'idle' ? await kernel.requestKernelInfo() : undefined;
  return missingFolder(reply?.content ?? (await kernel?.info));
}

function named({ session }: IKernelAbout): string {
  return typeof session === 'string' ? session : '';
}

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
