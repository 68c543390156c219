import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ITranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import { Changes } from '../api/events';
import { endOf, isWarned } from '../state/idle';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import { report } from './report';

/** How long before its end a session's documents are saved once more, in milliseconds. */
const AHEAD = 20_000;
/** How soon a hidden page looks after what it was told has changed, in milliseconds. */
const SOON = 3000;

/** Know what has become of the documents that are open in a session's own JupyterLab. */
export interface ISaving {
  /** Whether all of them are saved; null if nothing has seen to that. */
  readonly isSaved: boolean | null;
}

export const ISaving = new Token<ISaving>(
  'jupyter-gpuquota:ISaving',
  "Whether the documents that are open in a session's own JupyterLab were saved before its end."
);

/** Save what is unsaved in a session's own JupyterLab before the session is ended. */
export const saving: JupyterFrontEndPlugin<ISaving> = {
  id: 'jupyter-gpuquota:saving',
  description:
    "Saves changed documents in a session's own JupyterLab before the session is ended for being idle.",
  autoStart: true,
  provides: ISaving,
  requires: [IGpuQuota],
  optional: [IDocumentManager, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    documents: IDocumentManager | null,
    translator: ITranslator | null
  ): ISaving => {
    if (!documents || !quota.here) {
      return { isSaved: null };
    }
    const trans = ours(translator);
    let isTried = false;
    const save = () => {
      isTried = true;
      const saved = changed(app, documents).map(context => context.save());
      Promise.all(saved).catch(error => report(trans, error));
    };
    saveWhenWarned(quota, save);
    lookWhileHidden(quota, new Changes(app.serviceManager.events));
    return {
      get isSaved() {
        return isTried ? !changed(app, documents).length : null;
      }
    };
  }
};

type Context = NonNullable<ReturnType<IDocumentManager['contextForWidget']>>;

/** Return the documents that differ from their files: to save others would look like work. */
function changed(app: JupyterFrontEnd, documents: IDocumentManager): Context[] {
  const contexts = new Set(
    [...app.shell.widgets('main')].map(widget =>
      documents.contextForWidget(widget)
    )
  );
  return [...contexts].flatMap(context =>
    context?.model.dirty && !context.model.readOnly ? [context] : []
  );
}

/** Save when the session here is warned, and once more just before its end. */
function saveWhenWarned(quota: IGpuQuota, save: () => void): void {
  let warned = '';
  let timer = 0;
  quota.sessions.changed.connect(() => {
    window.clearTimeout(timer);
    const session = quota.session(quota.here);
    const end = session && isWarned(session) ? endOf(session) : null;
    if (!session || end === null) {
      warned = '';
      return;
    }
    if (session.idle?.warned && session.idle.warned !== warned) {
      warned = session.idle.warned;
      save();
    }
    const left = end - AHEAD - Date.now();
    if (left > 0) {
      timer = window.setTimeout(save, left);
    }
  });
}

/** Look at what has changed in a hidden page, too, where nothing polls. */
function lookWhileHidden(quota: IGpuQuota, changes: Changes): void {
  let timer: number | undefined;
  changes.changed.connect((_, { noun }) => {
    if (noun === 'sessions' && document.hidden && timer === undefined) {
      timer = window.setTimeout(() => {
        timer = undefined;
        void quota.sessions.refresh();
      }, SOON);
    }
  });
}
