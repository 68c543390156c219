import { waitFor } from '@testing-library/react';
import { makeRules } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { Store } from '../store';

describe('what admins set', () => {
  let server: FakeServer;
  let store: Store;

  beforeEach(() => {
    server = new FakeServer();
    store = new Store(server.settings, new FakeEvents());
  });

  afterEach(() => store.dispose());

  it('has the log of changes read again', async () => {
    const { rules, audit } = store.administration;
    const log = { items: [], total: 0, revision: '1', next: '' };
    server.on('GET /audit', { body: log });
    server.on('GET /rules', { body: makeRules() });
    await rules.refresh();
    audit.watch(0);
    await waitFor(() => expect(server.count('GET /audit')).toBe(1));
    await rules.refresh();
    server.on('GET /rules', { body: makeRules({ revision: '4' }) });
    await rules.refresh();
    await waitFor(() => expect(server.count('GET /audit')).toBe(2));
  });
});
