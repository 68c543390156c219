import { makePage, makeSession } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { SessionAdvice, toResize } from '../advice';
import { Store } from '../store';

const NOTHING = { milli: 0, memory: 0, compute: 0, mig: '' };
const ADVICE = 'GET /sessions/s1/advice';

describe('a share in the words of a request', () => {
  it.each([
    [{ milli: 250 }, { gpu: '0.25' }],
    [
      { milli: 50, compute: 30 },
      { gpu: '0.05', gpu_compute: '30' }
    ],
    [{ milli: 2000 }, { gpu: '2' }],
    [{ memory: 8192 }, { gpu_memory: '8192Mi' }],
    [{ mig: '1g.10gb' }, { mig_profile: '1g.10gb' }]
  ])('%j: %j', (share, expected) => {
    expect(toResize({ ...NOTHING, ...share })).toEqual(expected);
  });
});

describe('the advice on a session', () => {
  let server: FakeServer;
  let store: Store;
  let model: SessionAdvice;

  const list = (revision: string, changes = {}) =>
    server.on('GET /sessions', {
      body: makePage([makeSession({ revision, ...changes })], revision)
    });
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  beforeEach(async () => {
    jest.useFakeTimers();
    server = new FakeServer();
    list('1');
    server.on(ADVICE, {
      body: { verdict: 'fits', message: 'its share is right.', share: null }
    });
    store = new Store(server.settings, new FakeEvents());
    await store.sessions.refresh();
    model = new SessionAdvice(store, 's1');
  });

  afterEach(() => {
    model.dispose();
    store.dispose();
    jest.useRealTimers();
  });

  it('is asked for only while somebody watches', async () => {
    await pass(100_000);
    expect(server.count(ADVICE)).toBe(0);
    const watcher = model.advice.watch();
    await pass(1000);
    expect(server.count(ADVICE)).toBe(1);
    watcher.dispose();
    list('2', { state: 'done' });
    await store.sessions.refresh();
    await pass(100_000);
    expect(server.count(ADVICE)).toBe(1);
  });

  it('is asked for no more often than the list', async () => {
    await store.preferences.set('pollInterval', 120);
    store.sessions.watch();
    model.advice.watch();
    await pass(1000);
    server.asked.length = 0;
    await pass(600_000);
    expect(server.count(ADVICE)).toBeGreaterThan(0);
    expect(server.count(ADVICE)).toBeLessThanOrEqual(
      server.count('GET /sessions')
    );
    const { query } = server.asked.find(({ path }) => path.endsWith('advice'))!;
    expect(query.get('no_track_activity')).toBe('1');
  });

  it('is asked for again once the session itself is another', async () => {
    model.advice.watch();
    await pass(1000);
    list('2', { queue_position: 1 });
    await store.sessions.refresh();
    await pass(1000);
    expect(server.count(ADVICE)).toBe(1);
    list('3', { spec: { share: { ...NOTHING, milli: 250 } } });
    await store.sessions.refresh();
    await pass(1000);
    expect(server.count(ADVICE)).toBe(2);
  });
});
