import {
  makeAbout,
  makePage,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { watchInBackground } from '../background';
import { Store } from '../store';

describe('the store', () => {
  let server: FakeServer;
  let events: FakeEvents;
  let store: Store;

  beforeEach(() => {
    jest.useFakeTimers();
    server = new FakeServer();
    events = new FakeEvents();
    server.on('GET /about', { body: makeAbout() });
    server.on('GET /quota', { body: makeQuota() });
    server.on('GET /sessions', { body: makePage([makeSession()]) });
    store = new Store(server.settings, events);
  });

  afterEach(() => {
    store.dispose();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('reads a noun again when the bus says that it has changed', async () => {
    store.sessions.watch();
    store.quota.watch();
    await pass(1000);
    await events.change({ noun: 'sessions', revision: '2', instance: 'i' });
    await pass(1000);
    server.asked.length = 0;
    await events.change({ noun: 'sessions', revision: '3', instance: 'i' });
    await pass(1000);
    expect(server.count('GET /sessions')).toBe(1);
    expect(server.count('GET /quota')).toBe(0);
  });

  it('reads warnings again when the bus says that they have changed', async () => {
    store.about.watch();
    store.quota.watch();
    await pass(1000);
    await events.change({ noun: 'quota', revision: '2', instance: 'i' });
    await pass(1000);
    server.asked.length = 0;
    await events.change({ noun: 'about', revision: '3', instance: 'i' });
    await pass(1000);
    expect(server.count('GET /about')).toBe(1);
    expect(server.count('GET /quota')).toBe(0);
  });

  it('reads everything again when counting starts anew', async () => {
    store.about.watch();
    store.quota.watch();
    await pass(1000);
    await events.change({ noun: 'nodes', revision: '9', instance: 'i' });
    await pass(1000);
    server.asked.length = 0;
    await events.change({ noun: 'nodes', revision: '1', instance: 'j' });
    await pass(1000);
    expect(server.count('GET /about')).toBe(1);
    expect(server.count('GET /quota')).toBe(1);
  });

  it('reads any noun of the interface, and keeps one resource of each', async () => {
    const environments = store.resource('environments');
    expect(store.resource('environments')).toBe(environments);
    expect(store.environments).toBe(environments);
    expect(store.resource('policy')).toBe(store.administration.policy);
    server.on('GET /environments', { body: { environments: [] } });
    environments.watch();
    await pass(1000);
    expect(environments.result).toEqual({
      status: 'ready',
      value: { environments: [] }
    });
  });

  it('finds a session by its id', async () => {
    expect(store.session('s1')).toBeUndefined();
    store.sessions.watch();
    await pass(1000);
    expect(store.session('s1')?.spec.name).toBe('exp-1');
  });

  it('polls as often as the user has set', async () => {
    await store.preferences.set('pollInterval', 120);
    store.quota.watch();
    await pass(1000);
    server.asked.length = 0;
    await pass(100_000);
    expect(server.count('GET /quota')).toBe(0);
    await pass(30_000);
    expect(server.count('GET /quota')).toBe(1);
  });

  it('hides what is deleted until it has gone from the list', async () => {
    store.sessions.watch();
    await pass(1000);
    server.on('DELETE /sessions/s1', () => {
      server.on('GET /sessions', { body: makePage([]) });
      return { body: {} };
    });
    const removed = store.removals.remove('s1');
    const shown: boolean[] = [];
    store.sessions.changed.connect(() => {
      const session = store.session('s1');
      shown.push(Boolean(session && store.removals.isShown(session)));
    });
    await pass(10_000);
    expect(await removed).toBe(true);
    expect(store.session('s1')).toBeUndefined();
    expect(shown).not.toContain(true);
  });

  it('remembers which session is to be shown until a list has shown it', () => {
    store.reveal('s1');
    expect(store.takeRevealed()).toBe('s1');
    expect(store.takeRevealed()).toBeNull();
  });

  it('asks in the background for no more than the server half has', async () => {
    server.on('GET /about', { status: 404, text: '' });
    const watcher = watchInBackground(store, [store.sessions]);
    await pass(60_000);
    expect(server.count('GET /sessions')).toBe(0);
    server.on('GET /about', { body: makeAbout() });
    await store.about.refresh();
    await pass(10_000);
    expect(server.count('GET /sessions')).toBeGreaterThan(0);
    watcher.dispose();
    server.asked.length = 0;
    await pass(600_000);
    expect(server.asked).toEqual([]);
  });
});
