import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import type { IMissed } from '../../api/missed';
import type { Settings } from '../../api/request';
import { codeHash } from '../../state/output/codehash';
import { Continued, INotShown } from '../../state/output/continued';
import { ICell } from '../../state/output/continuedcell';
import { deduplicating } from '../../state/output/deduplicate';
import { Unfinished } from '../../state/output/unfinished';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import { report } from '../../views/parts/report';

/** Bring a session's notebooks the output that came while their page was not there. */
export const missedOutput: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:missed-output',
  description:
    "Puts output that came while a session's page was closed or cut off into its notebooks.",
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [INotebookTracker, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null
  ): void => {
    if (!workspace.here) {
      return;
    }
    const settings = app.serviceManager.serverSettings;
    Object.assign(settings, { WebSocket: deduplicating(settings.WebSocket) });
    const unfinished = new Unfinished(window.localStorage, workspace.here);
    const clients = new Set<string>();
    const page = { settings, unfinished, clients, trans: ours(translator) };
    notebooks?.forEach(panel => watch(panel, page));
    notebooks?.widgetAdded.connect((_, panel) => watch(panel, page));
    window.addEventListener('pagehide', () => {
      unfinished.leave([...clients], new Date().toISOString());
    });
  }
};

interface IPage {
  settings: Settings;
  unfinished: Unfinished;
  /** How the page's connections to kernels name themselves. */
  clients: Set<string>;
  trans: TranslationBundle;
}

/** Follow whichever kernel a notebook has. */
function watch(panel: NotebookPanel, page: IPage): void {
  const { sessionContext } = panel;
  let current: Kernel.IKernelConnection | null = null;
  let output: NotebookOutput | null = null;
  const follow = (kernel: Kernel.IKernelConnection | null = null) => {
    if (kernel !== current) {
      current = kernel;
      output = kernel && new NotebookOutput(panel, kernel, page);
    }
  };
  follow(sessionContext.session?.kernel);
  sessionContext.kernelChanged.connect((_, { newValue }) => follow(newValue));
  sessionContext.iopubMessage.connect((_, message) =>
    output?.hear(message as KernelMessage.IIOPubMessage)
  );
}

/** The output of one notebook from one kernel. */
class NotebookOutput {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _kernel: Kernel.IKernelConnection,
    private readonly _page: IPage
  ) {
    _page.clients.add(_kernel.clientId);
    _kernel.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'send' && msg.header.msg_type === 'execute_request') {
        this._note(msg);
      }
    });
    _kernel.statusChanged.connect((_, status) => {
      if (['restarting', 'autorestarting', 'dead'].includes(status)) {
        this._continued.leaveAll();
        _page.unfinished.endAll(_kernel.id);
      }
    });
    _kernel.connectionStatusChanged.connect((_, status) => {
      if (status === 'connected') {
        this._catchUp();
      }
    });
    if (_kernel.connectionStatus === 'connected') {
      this._catchUp();
    }
  }

  /** Take what the kernel broadcasts. */
  hear(message: KernelMessage.IIOPubMessage): void {
    const { unfinished } = this._page;
    if (
      KernelMessage.isStatusMsg(message) &&
      message.content.execution_state === 'idle' &&
      'msg_id' in message.parent_header
    ) {
      unfinished.end(this._kernel.id, message.parent_header.msg_id);
    }
    this._continued.handle(message);
  }

  /** Note that this page has a cell run. */
  private _note({ header, metadata, content }: KernelMessage.IMessage): void {
    if (typeof metadata.cellId === 'string') {
      const { code } = content as KernelMessage.IExecuteRequestMsg['content'];
      this._remember(header.msg_id, codeHash(code));
      this._continued.leave(metadata.cellId);
    }
  }

  private _catchUp(): void {
    this._take().catch(error => report(this._page.trans, error));
  }

  private async _take(): Promise<void> {
    const { context } = this._panel;
    await context.ready;
    if (this._panel.isDisposed || this._kernel.isDisposed) {
      return;
    }
    if (context.model.collaborative) {
      this._continued.begin(null); // a shared document has its output from elsewhere
      return;
    }
    const before = this._page.unfinished.take(this._kernel.id);
    const missed = await this._ask(before?.client ?? '').catch(error => {
      this._continued.begin(null);
      throw error;
    });
    const marks = before?.requests ?? {};
    const notShown = this._continued.begin(missed, marks);
    const requests = missed?.requests ?? [];
    const held = new Set(requests.map(({ id }) => id));
    if (before && Object.keys(marks).some(request => !held.has(request))) {
      const now = new Date().toISOString();
      notShown.gaps.push({ from: before.left, to: now });
    }
    requests
      .filter(({ cell, finished }) => cell && !finished)
      .forEach(({ id }) => this._remember(id, marks[id] ?? ''));
    if (notShown.gaps.length || notShown.outdated.length) {
      await this._tell(notShown);
    }
    // What has ended is held no longer: from now on only the document has it.
    if (requests.some(({ finished }) => finished) && !context.model.readOnly) {
      await context.save();
    }
  }

  private async _ask(before: string): Promise<IMissed | null> {
    const { takeMissed } = await import(
      /* webpackChunkName: "sessionpage" */ '../../api/missed'
    );
    const { id, clientId } = this._kernel;
    return takeMissed(this._page.settings, id, clientId, before);
  }

  private _remember(request: string, mark: string): void {
    const { id, clientId } = this._kernel;
    this._page.unfinished.begin(id, clientId, request, mark);
  }

  private async _tell({ gaps, outdated }: INotShown): Promise<void> {
    const { gapText, outdatedText } = await import(
      /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/missedtexts'
    );
    const { trans } = this._page;
    const name = PathExt.basename(this._panel.context.path);
    const cells = [...(this._panel.content.model?.cells ?? [])];
    const place = (id: string) => cells.findIndex(cell => cell.id === id) + 1;
    const texts = [
      ...(gaps.length ? [gapText(trans, name, gaps)] : []),
      ...outdated.map(({ cell, times }) =>
        outdatedText(trans, name, place(cell), times)
      )
    ];
    texts.forEach(text => Notification.warning(text, { autoClose: false }));
  }

  private readonly _continued = new Continued(cell =>
    findCell(this._panel, cell)
  );
}

function findCell(panel: NotebookPanel, id: string): ICell | undefined {
  for (const cell of panel.content.model?.cells ?? []) {
    if (cell.id === id && cell.type === 'code') {
      return cell as unknown as ICell;
    }
  }
  return undefined;
}
