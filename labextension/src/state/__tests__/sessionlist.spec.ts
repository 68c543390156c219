import { makePage, makeSession } from '../../__tests__/builders';
import { FakeServer } from '../../__tests__/fakeserver';
import { NOT_MODIFIED } from '../../api/request';
import { sessionsReader } from '../lists/sessions';

const KNOWN = 'e, "changes"';

describe('the list', () => {
  it('is read page by page, with the ETag of the first', async () => {
    const server = new FakeServer();
    const [one, two, three] = ['1', '2', '3'].map(id => makeSession({ id }));
    server.on('GET /sessions', ({ query, headers }) => {
      if (headers.get('If-None-Match') === KNOWN) {
        return { status: 304 };
      }
      const page = makePage([one, two]);
      return query.get('cursor') === '2'
        ? { body: { ...page, items: [three], total: 3 } }
        : { body: { ...page, total: 3, next: '2' }, etag: 'e' };
    });
    const read = sessionsReader(server.settings);
    expect(await read('', true)).toEqual({
      value: { items: [one, two, three], total: 3 },
      etag: 'e'
    });
    expect(await read('e', true)).toBe(NOT_MODIFIED);
  });

  it('ends somewhere, and says how many there are', async () => {
    const server = new FakeServer();
    server.on('GET /sessions', ({ query }) => ({
      body: {
        ...makePage([makeSession({ id: `after-${query.get('cursor')}` })]),
        total: 9999,
        next: 'more'
      }
    }));
    const answer = await sessionsReader(server.settings)('', true);
    expect(answer).toMatchObject({ value: { total: 9999 } });
    expect(server.count('GET /sessions')).toBe(5);
  });
});

describe('changes of the list', () => {
  const [one, two, three] = ['1', '2', '3'].map(id => makeSession({ id }));
  const changed = { ...two, state: 'done' as const };

  /** Answer with all of `items` at first, then with what has changed. */
  function reader(items: (typeof one)[], changes: object) {
    const server = new FakeServer();
    server.on('GET /sessions', ({ headers }) =>
      headers.get('If-None-Match') === KNOWN
        ? { body: { ...makePage([]), since: '1', ...changes }, etag: 'f' }
        : { body: makePage(items), etag: 'e' }
    );
    return { server, read: sessionsReader(server.settings) };
  }

  it('replace, add and remove sessions of the one that is known', async () => {
    const changes = { items: [changed, three], gone: ['1'], total: 2 };
    const { read } = reader([one, two], changes);
    await read('', true);
    expect(await read('e', true)).toEqual({
      value: { items: [changed, three], total: 2 },
      etag: 'f'
    });
  });

  it('leave sessions as they are that have not changed', async () => {
    const { read } = reader([one, two], { items: [changed], total: 2 });
    const before = await read('', true);
    const after = await read('e', true);
    if (before === NOT_MODIFIED || after === NOT_MODIFIED) {
      throw new Error('the list has changed');
    }
    expect(after.value.items[0]).toBe(before.value.items[0]);
  });

  it('are not enough if other sessions are known than the server has', async () => {
    const { read, server } = reader([one, two], { items: [changed], total: 3 });
    await read('', true);
    expect(await read('e', true)).toEqual({
      value: { items: [one, two], total: 2 },
      etag: 'e'
    });
    expect(server.count('GET /sessions')).toBe(3);
  });
});
