import { FakeServer } from '../../__tests__/fakeserver';
import { Aborted, ApiError } from '../errors';
import { call, NOT_MODIFIED, read } from '../request';
import { routes } from '../routes';

describe('calls', () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const about = () => call(server.settings, routes.aboutGet, {});

  it('go below the base URL, and return the answer', async () => {
    server.on('GET /about', { body: { version: '1' } });
    expect(await about()).toEqual({ version: '1' });
    expect([...server.asked[0].query]).toEqual([]);
  });

  it('fill in the parts of the path so that none leaves it', async () => {
    server.on('POST /sessions/..%2Fx%3Fy/stop', { body: {} });
    await call(server.settings, routes.sessionsStop, {
      args: { id: '../x?y' },
      body: {}
    });
    expect(server.asked[0].path).toBe('/sessions/..%2Fx%3Fy/stop');
  });

  it('send a body as JSON and a query as it is', async () => {
    server.on('POST /sessions', { status: 201, body: { id: 's1' } });
    const body = { name: 'exp-1', gpu: '0.5' };
    await call(server.settings, routes.sessionsCreate, { body });
    expect(server.asked[0].body).toEqual(body);
    expect(server.asked[0].headers.get('Content-Type')).toBe(
      'application/json'
    );
    server.on('GET /sessions', { body: {} });
    await call(server.settings, routes.sessionsList, {
      query: { cursor: 'a b' }
    });
    expect([...server.asked[1].query]).toEqual([['cursor', 'a b']]);
  });

  it('do not count as activity if no person has asked', async () => {
    server.on('GET /about', { body: {} });
    await call(server.settings, routes.aboutGet, { background: true });
    expect(server.asked[0].query.get('no_track_activity')).toBe('1');
  });

  it('say that what is known still holds', async () => {
    server.on('GET /quota', ({ headers }) =>
      headers.get('If-None-Match') === 'W/"7"'
        ? { status: 304 }
        : { body: { revision: '7' }, etag: 'W/"7"' }
    );
    const first = await read(server.settings, routes.quotaGet, {});
    expect(first).toEqual({ value: { revision: '7' }, etag: 'W/"7"' });
    expect(
      await read(server.settings, routes.quotaGet, { etag: 'W/"7"' })
    ).toBe(NOT_MODIFIED);
  });

  it('keep all that the server says of a failure', async () => {
    const problem = {
      code: 'InvalidFields',
      message: '2 invalid fields.',
      hint: 'Fix them.',
      fields: [{ field: 'gpu', message: 'Too much.', hint: '' }]
    };
    server.on('GET /about', { status: 422, body: problem });
    const error = await about().catch(thrown => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ ...problem, status: 422 });
  });

  it.each([
    [404, 'NoExtension'],
    [502, 'BadAnswer'],
    [200, 'BadAnswer']
  ])('tell an answer that is not ours (%d: %s)', async (status, code) => {
    server.on('GET /about', { status, text: '<html>' });
    await expect(about()).rejects.toMatchObject({ code, status });
  });

  it("tell Jupyter's own refusals from ours", async () => {
    server.on('GET /about', { status: 403, body: { message: 'Forbidden' } });
    await expect(about()).rejects.toMatchObject({
      code: 'BadAnswer',
      status: 403
    });
  });

  it('tell that nothing answers', async () => {
    server.isDown = true;
    await expect(about()).rejects.toMatchObject({
      code: 'Unreachable',
      status: 0
    });
  });

  it('wait for a server that still reads what is asked for', async () => {
    const code = 'NotLoaded';
    const loading = { status: 503, body: { code, message: 'Being read.' } };
    server.on('GET /about', () =>
      server.asked.length < 2 ? loading : { body: { version: '1' } }
    );
    expect(await about()).toEqual({ version: '1' });
    const abort = new AbortController();
    server.on('GET /about', () => {
      abort.abort();
      return loading;
    });
    const given = call(server.settings, routes.aboutGet, {
      signal: abort.signal
    });
    await expect(given).rejects.toBeInstanceOf(Error);
    expect(server.asked).toHaveLength(3);
  });

  describe('while a pointer is down', () => {
    const happened: string[] = [];
    const send = (kind: string) => window.dispatchEvent(new Event(kind));
    const ask = () =>
      about().then(
        () => happened.push('answered'),
        () => happened.push('refused')
      );

    beforeEach(() => {
      happened.length = 0;
      jest.useFakeTimers();
    });

    afterEach(() => jest.useRealTimers());

    it.each([
      ['pointerup', 200, 'answered'],
      ['pointerup', 422, 'refused'],
      ['pointercancel', 200, 'answered']
    ])('are kept until after the click (%s, %d)', async (end, status, then) => {
      server.on('GET /about', { status, body: { code: 'Invalid' } });
      send('pointerdown');
      const asked = ask();
      await jest.advanceTimersByTimeAsync(500);
      send(end);
      happened.push('clicked');
      await jest.runAllTimersAsync();
      await asked;
      expect(happened).toEqual(['clicked', then]);
    });

    it('are not kept for long: the end of some presses is not heard of', async () => {
      server.on('GET /about', { body: {} });
      send('pointerdown');
      const asked = ask();
      await jest.advanceTimersByTimeAsync(1900);
      expect(happened).toEqual([]);
      await jest.advanceTimersByTimeAsync(200);
      await asked;
      expect(happened).toEqual(['answered']);
    });
  });

  it('are given up without an error to show', async () => {
    const abort = new AbortController();
    server.on('GET /about', async () => {
      abort.abort();
      return { body: {} };
    });
    await expect(
      call(server.settings, routes.aboutGet, { signal: abort.signal })
    ).rejects.toBeInstanceOf(Aborted);
  });
});
