import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { Token } from '@lumino/coreutils';
import { Changes } from '../../api/events';
import { endOf, isWarned } from '../../state/idle/idle';
import { isSaving } from '../../state/sessionpage/pageevents';
import { OpenPage } from '../../state/sessionpage/openpage';
import { IGpuWorkspace } from '../../tokens';

/** How long before its end a session's documents are saved once more, in milliseconds. */
const AHEAD = 20_000;
/** How soon a page checks again after a reported change, in milliseconds. */
const SOON = 500;
/** How often documents are saved while the session is about to end, in milliseconds. */
const AGAIN = 3000;

/** What has become of the documents that are open in a session's own JupyterLab. */
export interface ISaving {
  /** How many of them differ from their files. */
  readonly unsaved: number;
  /** Save them all; resolves to how many could not be saved. */
  save(): Promise<number>;
  /** Save them all, then give back the GPUs that are being taken back. */
  giveBack(): Promise<void>;
}

export const ISaving = new Token<ISaving>(
  'jupyter-gpuquota:ISaving',
  "The documents that are open in a session's own JupyterLab, and how they are saved before its end."
);

/** Save what is unsaved in a session's own JupyterLab before an end or a snapshot of the session. */
export const saving: JupyterFrontEndPlugin<ISaving | null> = {
  id: 'jupyter-gpuquota:saving',
  description:
    "Saves changed documents in a session's own JupyterLab before the session ends or a snapshot is taken.",
  autoStart: true,
  provides: ISaving,
  requires: [IGpuWorkspace],
  optional: [IDocumentManager],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    documents: IDocumentManager | null
  ): ISaving | null => {
    if (!documents || !workspace.here) {
      return null;
    }
    const open = new OpenDocuments(app, documents);
    const page = new OpenPage((id, report, isLast) =>
      workspace.actions.putPage(workspace.here, id, report, isLast)
    );
    // JupyterLab may go on to another workspace before that, and leaves without a word.
    void app.restored.then(() => page.open());
    const changes = new Changes(app.serviceManager.events);
    workspace.sessions.watch();
    saveWhenWarned(workspace, () => void open.save());
    lookAtOnce(workspace, changes, page);
    return new Saver(workspace, open, page);
  }
};

/**
 * What saves again and again while the session is about to end or a snapshot is taken, and reports
 * how far it is.
 */
class Saver implements ISaving {
  constructor(
    private _workspace: IGpuWorkspace,
    private _open: OpenDocuments,
    private _page: OpenPage
  ) {
    _workspace.sessions.changed.connect(() => {
      if (this._isAsked && !this._isBusy) {
        void this._answer();
      }
    });
  }

  get unsaved(): number {
    return this._open.unsaved;
  }

  save(): Promise<number> {
    return this._open.save();
  }

  async giveBack(): Promise<void> {
    this._givesBack = true;
    await this._report();
  }

  private get _isAsked(): boolean {
    const { here, sessions } = this._workspace;
    const session = this._workspace.session(here);
    const { result } = sessions;
    const isFresh = result.status === 'ready' && !result.error;
    return Boolean(isFresh && session && (isSaving(session) || session.saving));
  }

  private async _answer(): Promise<void> {
    this._isBusy = true;
    while (this._isAsked) {
      await this._report();
      await new Promise(resolve => window.setTimeout(resolve, AGAIN));
      await this._workspace.sessions.refresh();
    }
    this._isBusy = false;
    this._givesBack = false;
    this._page.report({ state: 'open' });
  }

  private async _report(): Promise<void> {
    const unsaved = await this._open.save();
    this._page.report({
      state: unsaved ? 'unsaved' : 'saved',
      unsaved,
      give_back: this._givesBack
    });
  }

  private _givesBack = false;
  private _isBusy = false;
}

/** Save when the session here is warned, and once more just before its end. */
function saveWhenWarned(workspace: IGpuWorkspace, save: () => void): void {
  let warned = '';
  let timer = 0;
  workspace.sessions.changed.connect(() => {
    window.clearTimeout(timer);
    const session = workspace.session(workspace.here);
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

/**
 * Look at what has changed in a hidden page, too, where nothing polls; and have a controller that
 * has just begun know of this page.
 */
function lookAtOnce(
  workspace: IGpuWorkspace,
  changes: Changes,
  page: OpenPage
): void {
  let timer: number | undefined;
  let known = '';
  changes.changed.connect((_, { instance, noun }) => {
    if (known && instance !== known) {
      page.again();
    }
    known = instance;
    if (noun === 'sessions' && document.hidden && timer === undefined) {
      timer = window.setTimeout(() => {
        timer = undefined;
        void workspace.sessions.refresh();
      }, SOON);
    }
  });
}

/** The longest wait for saving, in milliseconds: a save may ask the user something. */
const LONGEST = 4000;
/** Where a page shows documents. */
const AREAS = ['main', 'left', 'right', 'down'];

type Context = NonNullable<ReturnType<IDocumentManager['contextForWidget']>>;

/** The documents that are open in this page. */
class OpenDocuments {
  constructor(
    private _app: JupyterFrontEnd,
    private _documents: IDocumentManager
  ) {}

  /** How many of them differ from their files. */
  get unsaved(): number {
    return this._changed().length;
  }

  /** Save those that differ from their files; return how many still do. */
  async save(): Promise<number> {
    const saved = this._changed().map(context => context.save());
    if (saved.length) {
      let timer = 0;
      const late = new Promise<void>(resolve => {
        timer = window.setTimeout(resolve, LONGEST);
      });
      // JupyterLab reports what fails; it is counted below.
      await Promise.race([Promise.allSettled(saved), late]);
      window.clearTimeout(timer);
    }
    return this.unsaved;
  }

  /** Return what differs from its file: to save others would look like work. */
  private _changed(): Context[] {
    const widgets = AREAS.flatMap(area => [...this._app.shell.widgets(area)]);
    const contexts = new Set(
      widgets.map(widget => this._documents.contextForWidget(widget))
    );
    return [...contexts].flatMap(context =>
      context?.model.dirty && !context.model.readOnly ? [context] : []
    );
  }
}
