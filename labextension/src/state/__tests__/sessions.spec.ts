import { makeSession } from '../../__tests__/builders';
import { FakeServer } from '../../__tests__/fakeserver';
import {
  can,
  hasEnded,
  inOrder,
  isForOwnerOnly,
  isLive,
  matches,
  SessionActions,
  suggestName
} from '../sessions';

describe('the order on the screen', () => {
  it('puts what goes on first, and the newest of each kind first', () => {
    const make = (id: string, state: 'running' | 'failed' | 'suspended') =>
      makeSession({ id, state, created: `2026-01-01T0${id}:00:00Z` });
    const sessions = [
      make('1', 'failed'),
      make('2', 'running'),
      make('3', 'suspended'),
      make('4', 'failed'),
      make('5', 'running')
    ];
    expect(inOrder(sessions).map(({ id }) => id)).toEqual([
      ...['5', '2', '3', '4', '1']
    ]);
  });
});

describe('the filter', () => {
  const session = makeSession({ spec: { name: 'big-train' }, owner: 'ana' });

  it.each([
    ['', true],
    ['train', true],
    ['TEAM-A big', true],
    ['ana run', true],
    ['team-b', false],
    ['big nothing', false]
  ])('%j: %s', (filter, expected) => {
    expect(matches(session, filter)).toBe(expected);
  });
});

describe('what may be done', () => {
  it('is what the server names, whatever the state', () => {
    const session = makeSession({ actions: ['resume'] });
    expect(can(session, 'resume')).toBe(true);
    expect(can(session, 'open')).toBe(false);
  });

  it('is told apart where only the owner can open what runs', () => {
    const session = makeSession({ actions: ['log'] });
    const batch = makeSession({ actions: [], spec: { command: ['train'] } });
    expect(isForOwnerOnly(session, 'li')).toBe(true);
    expect(isForOwnerOnly(session, 'ana')).toBe(false);
    expect(isForOwnerOnly(makeSession(), 'li')).toBe(false);
    expect(isForOwnerOnly(batch, 'li')).toBe(false);
  });
});

describe('a state of a newer server', () => {
  const session = makeSession({ state: 'hibernating' });

  it('may have processes, has not ended, and stands first', () => {
    expect(isLive(session)).toBe(true);
    expect(hasEnded(session)).toBe(false);
    const done = makeSession({ id: 's2', state: 'done' });
    expect(inOrder([done, session])[0]).toBe(session);
  });
});

describe('a name for the next session', () => {
  const taken = (...names: string[]) =>
    names.map(name => makeSession({ id: name, spec: { name } }));

  it.each([
    [[], undefined, 'exp-1'],
    [['exp-1', 'exp-2'], undefined, 'exp-3'],
    [['exp-1'], 'exp-1', 'exp-2'],
    [['train'], 'train', 'train-1'],
    [['train', 'train-1'], 'train', 'train-2'],
    [['run9', 'run-9'], 'run9', 'run-10'],
    [[], 'kept', 'kept']
  ])('after %j, last %j: %s', (names, last, expected) => {
    expect(suggestName(taken(...names), last)).toBe(expected);
  });
});

describe('actions', () => {
  it('have the list read again, after a failure, too', async () => {
    const server = new FakeServer();
    const changed = jest.fn();
    const actions = new SessionActions(server.settings, changed);
    server.on('POST /sessions/s1/suspend', { body: makeSession() });
    await actions.suspend('s1');
    expect(changed).toHaveBeenCalledTimes(1);
    server.on('POST /sessions/s1/stop', {
      status: 409,
      body: {
        code: 'WrongState',
        message: 'It has ended.',
        hint: '',
        fields: []
      }
    });
    await expect(actions.stop('s1')).rejects.toMatchObject({
      code: 'WrongState'
    });
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it('know the address of a session and of its ports', () => {
    const { settings } = new FakeServer();
    const actions = new SessionActions(settings, () => undefined);
    const base = 'http://hub.test/user/ana/gpuquota/s/s1/';
    expect(actions.url(makeSession())).toBe(base);
    expect(actions.url(makeSession(), 6006)).toBe(`${base}p/6006/`);
  });

  it('know that inside a session, too, where another one stands beside it', () => {
    const { settings } = new FakeServer();
    const baseUrl = 'http://hub.test/user/ana/gpuquota/s/s2/';
    const inside = { ...settings, baseUrl };
    const actions = new SessionActions(inside, () => undefined);
    expect(actions.url(makeSession())).toBe(
      'http://hub.test/user/ana/gpuquota/s/s1/'
    );
  });
});
