import { FakeServer } from '../../__tests__/fakeserver';
import { PastUse } from '../history';
import { Resource } from '../resource';

describe('past use', () => {
  it('is read for as many hours as one looks back', async () => {
    const server = new FakeServer();
    server.on('GET /history', ({ query }) => ({
      body: { points: [], note: query.get('hours') },
      etag: '"same"'
    }));
    const past = new PastUse(
      server.settings,
      read => new Resource({ name: 'history', interval: 1000, read })
    );
    await past.history.refresh();
    await past.look(6);
    const { result } = past.history;
    expect(past.hours).toBe(6);
    expect(result).toMatchObject({ status: 'ready', value: { note: '6' } });
    expect(server.asked[1].headers.get('If-None-Match')).toBeNull();
  });
});
