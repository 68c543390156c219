import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import { Page } from '../../__tests__/page';
import { missedOutput } from '../sessionpage/missedoutput';

const ASKED = '/user/ana/gpuquota/missed/k1';
const LEFT = new Date(2026, 0, 1, 14, 2);

const signal = () => new Signal<object, unknown>({});

/** One browser's page of the session: a notebook with one cell, and its kernel. */
class FakePage {
  constructor(
    page: Page,
    readonly clientId: string
  ) {
    const app = {
      serviceManager: { serverSettings: { ...page.server.settings } }
    } as unknown as JupyterFrontEnd;
    const tracker = {
      forEach: () => undefined,
      widgetAdded: this._added
    } as unknown as INotebookTracker;
    void missedOutput.activate(app, page.store, tracker, null);
    const kernel = {
      id: 'k1',
      clientId,
      connectionStatus: 'connecting',
      anyMessage: this._sent,
      statusChanged: this._status,
      connectionStatusChanged: this._connection
    };
    const panel = {
      sessionContext: {
        session: { kernel },
        kernelChanged: signal(),
        iopubMessage: this._heard
      },
      context: {
        path: 'work/Untitled.ipynb',
        ready: this.ready.promise,
        model: this.model,
        save: async () => {
          this.saved.push([...this.shown]);
        }
      },
      content: { model: { cells: [this.cell] } }
    };
    this._added.emit(panel);
  }

  readonly ready = new PromiseDelegate<void>();
  readonly model = { collaborative: false, readOnly: false };
  source = 'run()';
  readonly saved: unknown[] = [];
  readonly shown: unknown[] = [];
  readonly cell = {
    id: 'c1',
    type: 'code',
    executionCount: null,
    executionState: 'idle',
    trusted: false,
    sharedModel: { getSource: () => this.source },
    outputs: {
      length: 0,
      add: ({ text }: { text: string }) => this.shown.push(text),
      clear: () => this.shown.splice(0)
    }
  };

  async connect(): Promise<void> {
    this.ready.resolve();
    this._connection.emit('connected');
    await settle();
  }

  run(msg_id: string): void {
    const header = { msg_type: 'execute_request', msg_id };
    const content = { code: this.source };
    const msg = { header, metadata: { cellId: 'c1' }, content };
    this._sent.emit({ msg, direction: 'send' });
  }

  hear(message: object): void {
    this._heard.emit(message);
  }

  restart(): void {
    this._status.emit('restarting');
  }

  leave(): void {
    window.dispatchEvent(new Event('pagehide'));
  }

  private readonly _added = signal();
  private readonly _sent = signal();
  private readonly _status = signal();
  private readonly _connection = signal();
  private readonly _heard = signal();
}

async function settle(): Promise<void> {
  await jest.advanceTimersByTimeAsync(10);
}

function message(msg_type: string, content: object, msg_id = 'm1'): object {
  return {
    channel: 'iopub',
    header: { msg_type, msg_id, date: LEFT.toISOString() },
    parent_header: { msg_id: 'r1' },
    content
  };
}

const print = (text: string, id?: string) =>
  message('stream', { name: 'stdout', text }, id);
const idle = message('status', { execution_state: 'idle' }, 'i');
const held = { id: 'r1', cell: 'c1', finished: false, dropped: null };

describe("output that a session's page has missed", () => {
  let page: Page;

  const texts = () =>
    Notification.manager.notifications.map(({ message: text }) => text);
  const answer = (body: object) =>
    page.server.on(`POST ${ASKED}`, {
      body: { requests: [], messages: [], lost: null, ...body }
    });
  const open = (client = 'page-1') => new FakePage(page, client);

  beforeEach(() => {
    jest.useFakeTimers({ now: LEFT });
    window.localStorage.clear();
    page = new Page();
    jest.replaceProperty(page.store, 'here', 's1');
    answer({});
  });

  afterEach(() => {
    Notification.dismiss();
    page.dispose();
    jest.useRealTimers();
  });

  it('is put into the notebook when that is there', async () => {
    answer({ requests: [held], messages: [print('1')] });
    const tab = open('page-2');
    tab.hear(print('2', 'm2'));
    await settle();
    expect(page.server.count(`POST ${ASKED}`)).toBe(0);
    await tab.connect();
    expect(tab.shown).toEqual(['1', '2']);
    expect(tab.cell.executionState).toBe('running');
    tab.hear(idle);
    expect(tab.cell.executionState).toBe('idle');
    expect(texts()).toEqual([]);
    expect(tab.saved).toEqual([]);
  });

  it('is saved where it had ended, for nobody holds it any more', async () => {
    const finished = { ...held, finished: true };
    answer({ requests: [finished], messages: [print('1')] });
    const tab = open('page-2');
    await tab.connect();
    expect(tab.saved).toEqual([['1']]);
    const readOnly = open('page-3');
    readOnly.model.readOnly = true;
    await readOnly.connect();
    expect(readOnly.saved).toEqual([]);
  });

  it('is asked for by name, and so is the page before', async () => {
    const before = open();
    await before.connect();
    before.run('r1');
    before.leave();
    answer({ requests: [held] });
    await open('page-2').connect();
    const [, { query }] = page.server.asked;
    expect(Object.fromEntries(query)).toEqual({
      client: 'page-2',
      before: 'page-1'
    });
    expect(texts()).toEqual([]);
  });

  it('is named with its time where nothing has kept it', async () => {
    const before = open();
    before.run('r1');
    before.leave();
    jest.setSystemTime(new Date(2026, 0, 1, 14, 10));
    await open('page-2').connect();
    expect(texts()).toEqual([
      expect.stringMatching(
        /^Output of Untitled\.ipynb from 0?2:02.PM to 0?2:10.PM was not kept\.$/
      )
    ]);
    await open('page-3').connect();
    expect(texts()).toHaveLength(1);
  });

  it('is nothing where everything had ended, or the kernel is a new one', async () => {
    const before = open();
    await before.connect();
    before.run('r1');
    before.hear(idle);
    before.run('r2');
    before.restart();
    before.leave();
    await open('page-2').connect();
    expect(texts()).toEqual([]);
  });

  it('is not put under code that did not make it, which a notice says', async () => {
    const before = open();
    await before.connect();
    before.source = 'new()';
    before.run('r1');
    before.leave();
    const finished = { ...held, finished: true };
    const later = new Date(2026, 0, 1, 14, 3).toISOString();
    const last = { ...print('2', 'm2'), header: { date: later } };
    answer({ requests: [finished], messages: [print('1'), last] });
    const tab = open('page-2');
    await tab.connect();
    expect(tab.shown).toEqual([]);
    expect(texts()).toEqual([
      expect.stringMatching(
        /^Cell 1 of Untitled\.ipynb was changed after it ran, so its output from 0?2:02.PM to 0?2:03.PM was not added\.$/
      )
    ]);
  });

  it('does not come while it runs, either, whatever page follows', async () => {
    const before = open();
    await before.connect();
    before.source = 'new()';
    before.run('r1');
    before.leave();
    answer({ requests: [held], messages: [] });
    for (const client of ['page-2', 'page-3']) {
      Notification.dismiss();
      const tab = open(client);
      await tab.connect();
      tab.hear(print('1'));
      expect(tab.shown).toEqual([]);
      expect(texts()).toEqual([
        'Cell 1 of Untitled.ipynb was changed after it ran, so the output of that run was not added.'
      ]);
      tab.leave();
    }
  });

  it('is remembered for the page after the next', async () => {
    answer({ requests: [held] });
    const second = open('page-2');
    await second.connect();
    second.leave();
    answer({});
    await open('page-3').connect();
    expect(texts()).toHaveLength(1);
  });

  it('is left to a shared document, and to whoever runs the cell anew', async () => {
    answer({ requests: [held], messages: [print('1')] });
    const shared = open();
    shared.model.collaborative = true;
    await shared.connect();
    expect(page.server.count(`POST ${ASKED}`)).toBe(0);
    const tab = open('page-2');
    await tab.connect();
    tab.run('r2');
    tab.hear(print('2', 'm2'));
    expect(tab.shown).toEqual(['1']);
  });

  it('does not hold up what is live when it cannot be had', async () => {
    page.server.on(`POST ${ASKED}`, { status: 500, body: {} });
    await open().connect();
    expect(texts()).toHaveLength(1);
    page.server.on(`POST ${ASKED}`, { status: 404, body: {} });
    await open('page-2').connect();
    expect(texts()).toHaveLength(1);
  });

  it('watches nothing outside of sessions', () => {
    jest.replaceProperty(page.store, 'here', '');
    const tab = open();
    tab.run('r1');
    expect(window.localStorage).toHaveLength(0);
  });
});
