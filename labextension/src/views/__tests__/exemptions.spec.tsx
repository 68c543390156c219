import { screen, waitFor } from '@testing-library/react';
import {
  AdministrationPage,
  problem
} from '../../__tests__/administrationpage';
import { makeAbout, makePage, makeSession } from '../../__tests__/builders';
import { POLICY, PAST, UNTIL } from '../../__tests__/policies';
import { localTime } from '../../state/settings/times';

describe('whom the idle policy is for and not for', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing'] })
    });
    page.server.on('GET /policy', { body: POLICY });
    page.server.on('POST /policy/preview', { body: PAST });
  });

  afterEach(() => page.dispose());

  const open = async () => {
    page.store.administration.policy.watch();
    await page.open();
    await screen.findByRole('table', { name: /Idle policy/ });
  };

  it('makes and deletes exemptions', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await page.click('New exemption');
    page.type('Who', 'project:team-b');
    page.type('or for', '3 days');
    page.type('Reason', 'a deadline');
    await page.click('Apply');
    await screen.findByText('project:team-b is exempt.');
    await page.click('user:li');
    await page.click('Delete…');
    await page.answer('Delete');
    await screen.findByText('The exemption of user:li was removed.');
    const [made, deleted] = page.sent('/policy') as {
      exemptions: object[];
    }[];
    expect(made.exemptions).toEqual([
      ...POLICY.exemptions,
      {
        who: 'project:team-b',
        until: '3 days',
        reason: 'a deadline'
      }
    ]);
    await waitFor(() => expect(deleted.exemptions).toEqual([]));
  });

  it('picks a time, and proposes whom it could be for', async () => {
    page.server.on('GET /sessions', {
      body: makePage([makeSession({ owner: 'cho', spec: { name: 'night' } })])
    });
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await page.click('user:li');
    const who = screen.getByLabelText<HTMLInputElement>('Who');
    await waitFor(() =>
      expect([...who.list!.options].map(({ value }) => value)).toEqual([
        'user:ana',
        'user:cho',
        'project:team-a',
        'project:team-b',
        'session:team-a/night'
      ])
    );
    expect(page.value('Until')).toBe(localTime(UNTIL));
    page.type('Reason', 'two papers');
    await page.click('Apply');
    await screen.findByText('user:li is exempt.');
    await page.click('user:li');
    page.type('Until', '2026-05-01T09:30');
    expect(page.value('or for')).toBe('');
    await page.click('Apply');
    await waitFor(() => expect(page.sent('/policy')).toHaveLength(2));
    const sent = page.sent('/policy') as { exemptions: object[] }[];
    expect(sent.map(({ exemptions }) => exemptions)).toEqual([
      [{ ...POLICY.exemptions[0], reason: 'two papers' }],
      [
        {
          ...POLICY.exemptions[0],
          until: new Date('2026-05-01T09:30').toISOString()
        }
      ]
    ]);
  });

  it('shows who is exempt of a session by its name', async () => {
    const exemptions = [
      { who: 'session:s1', until: UNTIL, reason: 'a run' },
      { who: 'session:s2', until: UNTIL, reason: 'another' }
    ];
    page.server.on('GET /policy', { body: { ...POLICY, exemptions } });
    page.server.on('GET /sessions', {
      body: makePage([makeSession({ id: 's1', spec: { name: 'night' } })])
    });
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await screen.findByRole('button', { name: 'session:s2' });
    await page.click('session:night');
    await screen.findByRole('form', {
      name: 'Change the exemption of session:night'
    });
    expect(page.value('Who')).toBe('session:s1');
    await page.click('Delete…');
    expect(await page.answer('Delete')).toContain('Delete session:night?');
    await screen.findByText('The exemption of session:night was removed.');
    expect(page.sent('/policy')).toMatchObject([
      { exemptions: [exemptions[1]] }
    ]);
  });

  it('says that an exemption is gone', async () => {
    await open();
    await page.click('user:li');
    page.type('Reason', 'two papers');
    page.server.on('PUT /policy', problem('Outdated', 'ana was quicker.'));
    await page.click('Apply');
    await screen.findByText('ana was quicker.');
    page.server.on('GET /policy', {
      body: { ...POLICY, exemptions: [], revision: '8' }
    });
    await page.click(/^Discard/);
    await screen.findByText('It was deleted.');
    expect(screen.queryByRole('form')).toBeNull();
    expect(document.activeElement?.textContent).toBe('New exemption');
  });
});
