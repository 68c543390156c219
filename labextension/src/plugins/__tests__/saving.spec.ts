import { JupyterFrontEnd } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ServerConnection } from '@jupyterlab/services';
import { makeIdle, makePage, makeSession } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { PageReport, Session } from '../../api/models';
import { Store } from '../../state/store';
import { ISaving, saving } from '../sessionpage/saving';

const HERE = '/user/ana/gpuquota/s/s1/gpuquota/api/sessions';
const WARNED = { warned: '2026-01-01T12:00:00Z' };

describe('unsaved documents', () => {
  let server: FakeServer;
  let events: FakeEvents;
  let store: Store;
  let saved: string[];
  let known: ISaving | null;
  let isBroken: boolean;
  let isStuck: boolean;
  let type: () => void;

  const document = (name: string, dirty: boolean, readOnly = false) => ({
    model: { dirty, readOnly },
    async save() {
      saved.push(name);
      this.model.dirty = isBroken || isStuck;
      await (isStuck ? new Promise(() => undefined) : undefined);
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
    isStuck = false;
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
      shell: {
        widgets: (area: string) => (area === 'main' ? shown.keys() : [])
      },
      restored: Promise.resolve(),
      serviceManager: { events }
    } as unknown as JupyterFrontEnd;
    const documents = {
      contextForWidget: (widget: object) => shown.get(widget)
    } as unknown as IDocumentManager;
    known = saving.activate(app, store, documents) as ISaving | null;
  };
  const puts = () => server.asked.filter(({ method }) => method === 'PUT');
  const pages = () => puts().map(({ path }) => path);
  const reports = () => puts().map(({ body }) => body as PageReport);
  const ending = () =>
    makeSession({
      state: 'stopping',
      ending: {
        by: '2026-01-01T12:01:00Z',
        signalled: null,
        saved: 'asked',
        unsaved: 0,
        last_save: null
      }
    });
  const see = async (...sessions: Session[]) => {
    const page = { body: makePage(sessions) };
    server.on(`GET ${HERE}`, page);
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

  it('are counted until they are saved', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession());
    expect(known?.unsaved).toBe(1);
    isBroken = true;
    expect(await known?.save()).toBe(1);
    isBroken = false;
    expect(await known?.save()).toBe(0);
    expect(known?.unsaved).toBe(0);
  });

  it('are saved before the end, which the page answers', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession());
    expect(reports()).toEqual([{ state: 'open' }]);
    await see(ending());
    expect(saved).toEqual(['changed']);
    expect(reports().slice(1)).toEqual([
      { state: 'saved', unsaved: 0, give_back: false }
    ]);
  });

  it('are saved before a snapshot, which the page answers', async () => {
    open('gpuquota/s/s1/');
    await see(makeSession());
    await see(makeSession({ saving: '2026-01-01T12:00:10Z' }));
    expect(saved).toEqual(['changed']);
    expect(reports().slice(1)).toEqual([
      { state: 'saved', unsaved: 0, give_back: false }
    ]);
    await see(makeSession());
    await jest.advanceTimersByTimeAsync(3000);
    expect(reports().at(-1)).toEqual({ state: 'open' });
    type();
    await see(makeSession({ saving: '2026-01-01T12:05:10Z' }));
    expect(saved).toEqual(['changed', 'changed']);
  });

  it('that cannot be saved before a snapshot are reported', async () => {
    open('gpuquota/s/s1/');
    isBroken = true;
    await see(makeSession({ saving: '2026-01-01T12:00:10Z' }));
    expect(reports().at(-1)).toMatchObject({ state: 'unsaved', unsaved: 1 });
  });

  it('are saved again and again while the end comes near', async () => {
    open('gpuquota/s/s1/');
    isBroken = true;
    await see(ending());
    expect(reports().at(-1)).toMatchObject({ state: 'unsaved', unsaved: 1 });
    isBroken = false;
    await jest.advanceTimersByTimeAsync(4000);
    expect(reports().at(-1)).toMatchObject({ state: 'saved', unsaved: 0 });
    type();
    await jest.advanceTimersByTimeAsync(4000);
    expect(saved).toEqual(['changed', 'changed', 'changed']);
    await known?.giveBack();
    await jest.advanceTimersByTimeAsync(0);
    expect(reports().at(-1)).toMatchObject({ state: 'saved', give_back: true });
  });

  it('are not waited for where saving asks the user something', async () => {
    open('gpuquota/s/s1/');
    isStuck = true;
    await see(ending());
    await jest.advanceTimersByTimeAsync(4000);
    expect(reports().at(-1)).toMatchObject({ state: 'unsaved', unsaved: 1 });
  });

  it('are not saved any more once nobody answers', async () => {
    open('gpuquota/s/s1/');
    await see(ending());
    type();
    const body = { code: 'WrongState', message: '', hint: '', fields: [] };
    server.on(`GET ${HERE}`, { status: 409, body });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(saved).toEqual(['changed']);
  });

  it('are told of in intervals, to a new controller at once, and at the end', async () => {
    open('gpuquota/s/s1/');
    await jest.advanceTimersByTimeAsync(61_000);
    expect(reports()).toHaveLength(3);
    await events.change({ noun: 'quota', revision: '1', instance: 'a' });
    await events.change({ noun: 'quota', revision: '2', instance: 'a' });
    await jest.advanceTimersByTimeAsync(0);
    expect(reports()).toHaveLength(3);
    await events.change({ noun: 'quota', revision: '1', instance: 'b' });
    await jest.advanceTimersByTimeAsync(0);
    expect(reports()).toHaveLength(4);
    window.dispatchEvent(new Event('pagehide'));
    await jest.advanceTimersByTimeAsync(0);
    expect(reports().at(-1)).toEqual({ state: 'closed' });
    expect(new Set(pages()).size).toBe(1);
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
    expect(known).toBe(null);
    expect(reports()).toEqual([]);
  });

  it('are saved in a hidden page, too', async () => {
    open('gpuquota/s/s1/');
    const hidden = jest
      .spyOn(window.document, 'hidden', 'get')
      .mockReturnValue(true);
    await see(makeSession());
    server.on(`GET ${HERE}`, {
      body: makePage([makeSession({ idle: makeIdle(20, 5, WARNED) })])
    });
    await events.change({ noun: 'sessions', revision: '2', instance: 'i' });
    await jest.advanceTimersByTimeAsync(4000);
    expect(saved).toEqual(['changed']);
    hidden.mockRestore();
  });
});
