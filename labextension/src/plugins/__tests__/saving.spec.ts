import { JupyterFrontEnd } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ServerConnection } from '@jupyterlab/services';
import { makeIdle, makePage, makeSession } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { Session } from '../../api/models';
import { Store } from '../../state/store';
import { ISaving, saving } from '../saving';

const WARNED = { warned: '2026-01-01T12:00:00Z' };

describe('unsaved documents', () => {
  let server: FakeServer;
  let events: FakeEvents;
  let store: Store;
  let saved: string[];
  let known: ISaving;
  let isBroken: boolean;
  let type: () => void;

  const document = (name: string, dirty: boolean, readOnly = false) => ({
    model: { dirty, readOnly },
    async save() {
      saved.push(name);
      this.model.dirty = isBroken;
    }
  });

  /** Open a JupyterLab; `path` is where it lives. */
  const open = (path: string) => {
    server = new FakeServer();
    events = new FakeEvents();
    store = new Store(
      ServerConnection.makeSettings({
        ...server.settings,
        baseUrl: `http://hub.test/user/ana/${path}`
      }),
      events
    );
    saved = [];
    isBroken = false;
    const changed = document('changed', true);
    type = () => {
      changed.model.dirty = true;
    };
    const shown = new Map<object, unknown>([
      [{}, changed],
      [{}, changed],
      [{}, document('same', false)],
      [{}, document('foreign', true, true)],
      [{}, undefined]
    ]);
    const app = {
      shell: { widgets: () => shown.keys() },
      serviceManager: { events }
    } as unknown as JupyterFrontEnd;
    const documents = {
      contextForWidget: (widget: object) => shown.get(widget)
    } as unknown as IDocumentManager;
    known = saving.activate(app, store, documents, null) as ISaving;
  };
  const see = async (...sessions: Session[]) => {
    const page = { body: makePage(sessions) };
    server.on('GET /user/ana/gpuquota/s/s1/gpuquota/api/sessions', page);
    server.on('GET /sessions', page);
    await store.sessions.refresh();
    await jest.advanceTimersByTimeAsync(0);
  };

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    store.dispose();
    jest.useRealTimers();
  });

  it('are saved when the session is warned, and just before its end', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession({ idle: makeIdle(20, 30) }));
    expect(saved).toEqual([]);
    const idle = makeIdle(20, 5, WARNED);
    await see(makeSession({ idle }));
    await see(makeSession({ idle }));
    expect(saved).toEqual(['changed']);
    type();
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    expect(saved).toEqual(['changed', 'changed']);
  });

  it('are known to be saved, or not to be, once that was tried', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession());
    expect(known.isSaved).toBe(null);
    await see(makeSession({ idle: makeIdle(20, 5, WARNED) }));
    expect(known.isSaved).toBe(true);
    isBroken = true;
    type();
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    expect(known.isSaved).toBe(false);
  });

  it('are left alone once it is used again', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession({ idle: makeIdle(20, 5, WARNED) }));
    await see(makeSession());
    await jest.advanceTimersByTimeAsync(6 * 60_000);
    expect(saved).toEqual(['changed']);
  });

  it('are left alone in any other JupyterLab', async () => {
    open('');
    await see(makeSession({ idle: makeIdle(20, 5, WARNED) }));
    expect(saved).toEqual([]);
    expect(known.isSaved).toBe(null);
  });

  it('are saved in a hidden page, too', async () => {
    open('gpuquota/s/s1/');
    const hidden = jest
      .spyOn(window.document, 'hidden', 'get')
      .mockReturnValue(true);
    await see(makeSession());
    server.on('GET /user/ana/gpuquota/s/s1/gpuquota/api/sessions', {
      body: makePage([makeSession({ idle: makeIdle(20, 5, WARNED) })])
    });
    await events.change({ noun: 'sessions', revision: '2', instance: 'i' });
    await jest.advanceTimersByTimeAsync(4000);
    expect(saved).toEqual(['changed']);
    hidden.mockRestore();
  });
});
