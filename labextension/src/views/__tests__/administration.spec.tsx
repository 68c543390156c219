import { screen, waitFor } from '@testing-library/react';
import React from 'react';
import {
  AdministrationPage,
  invalid,
  problem
} from '../../__tests__/administrationpage';
import { makeQuota, makeSetProject } from '../../__tests__/builders';
import { CommandIDs } from '../../commands';
import { AdministrationView } from '../administration/administration';
import { TeamView } from '../panel/team';

const EFFECT = {
  projects: [
    {
      name: 'team-a',
      quota_before: 4000,
      quota: 6000,
      fair_before: 4000,
      fair: 5000,
      allocated_before: 1500,
      allocated: 1500
    }
  ],
  sessions: [
    {
      session: 's9',
      name: 'exp-9',
      project: 'team-b',
      effect: 'reclaimed',
      message: 'exp-9 (team-b) would give its GPUs back.'
    }
  ],
  warnings: ['Quotas add up to more than the machine.']
};

const SAVED = {
  body: {
    project: makeSetProject({ revision: '9' }),
    sessions: [],
    warnings: []
  }
};

describe('the projects', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
  });

  afterEach(() => page.dispose());

  it('are a table, with who changed what below', async () => {
    await page.open();
    const row = screen.getByRole('row', { name: /team-b/ });
    expect(row.textContent).toContain('=\u00a0quota');
    expect(row.textContent).toContain('everyone');
    expect(row.textContent).toContain('draining');
    const changes = screen.getByRole('table', { name: /Changes/ });
    expect(changes.textContent).toContain('quota: 3quota: 4');
    expect(screen.getByText(/newest 1 of 600/)).toBeTruthy();
  });

  it('are for admins only', async () => {
    page.server.on('GET /quota', { body: makeQuota() });
    page.show(
      <>
        <AdministrationView />
        <TeamView state={null} />
      </>
    );
    await screen.findByText(/Only admins/);
    await screen.findByRole('button', { name: 'Dashboard' });
    expect(screen.queryByRole('button', { name: 'Projects' })).toBeNull();
  });

  it('are a click away from the team of an admin', async () => {
    page.show(<TeamView state={null} />);
    await page.click('Projects');
    expect(page.executed).toEqual([[CommandIDs.projects, null]]);
  });

  it('can only be read where a file sets them', async () => {
    page.setProjects({ source: 'file', file: '/etc/gpu/quota.yaml' });
    await page.open();
    expect(screen.getByText(/by the file \/etc\/gpu\/quota.yaml/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'New project' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'team-a' })).toBeNull();
  });

  it('of other clusters can only be read', async () => {
    const items = ['team-a', 'cloud/ml'].map(name => makeSetProject({ name }));
    page.setProjects({ items });
    await page.open();
    expect(screen.getByRole('button', { name: 'team-a' })).toBeTruthy();
    expect(screen.getByText('cloud/ml')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'cloud/ml' })).toBeNull();
    expect(screen.getByText(/other clusters are managed there/)).toBeTruthy();
  });

  it('stay with the engine where a file sets all else', async () => {
    page.setProjects({ source: 'engine', file: '/etc/gpu/quota.yaml' });
    await page.open();
    expect(screen.getByText(/^All but projects .*quota.yaml/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'New project' })).toBeNull();
    expect(screen.getByText(/created and deleted with kubectl/)).toBeTruthy();
    await page.click('team-a');
    expect(page.value('Quota')).toBe('4');
    expect(screen.queryByLabelText('Members')).toBeNull();
    page.server.on('PUT /projects/team-a', SAVED);
    await page.click('Apply');
    await screen.findByText('team-a was saved.');
    expect(page.sent('/projects/team-a')).toMatchObject([{ members: ['ana'] }]);
    await page.click('team-a');
    for (const name of ['Preview', 'Delete…']) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
  });

  it('stand above what is set for all of them', async () => {
    page.setRules({ grace: 120, consolidate: true });
    page.setGroups({ name: 'big', nodes: ['dgx1-2'], separate: true });
    await page.open();
    expect(
      screen.getAllByRole('heading', { level: 3 }).map(h => h.textContent)
    ).toEqual([
      'Projects 2',
      'Rules for all projects',
      'Node groups 1',
      'Changes 1'
    ]);
    const rules = screen.getByRole('region', { name: /^Rules/ });
    expect(rules.textContent).toContain('Time to save2m');
    expect(rules.textContent).toContain('Protected fornone');
    expect(rules.textContent).toContain('Consolidateyes');
    const row = screen.getByRole('row', { name: /big/ });
    expect(row.textContent).toBe('bigdgx1-2separate');
    // A landmark inside another would mislead screen readers.
    expect(screen.queryByRole('contentinfo')).toBeNull();
  });

  it('say what a change would do before it is made', async () => {
    page.foresee('1 session would start.', EFFECT);
    await page.open();
    await page.click('team-a');
    expect(document.activeElement).toBe(screen.getByLabelText('Quota'));
    page.type('Quota', '6');
    await page.click('Preview');
    const effect = await screen.findByRole('region', { name: /^Effect/ });
    expect(effect.textContent).toContain('1 session would start.');
    expect(effect.textContent).toContain('4 → 5');
    expect(effect.textContent).toContain('Will be reclaimed: exp-9 (team-b)');
    expect(effect.textContent).toContain('more than the machine');
    expect(page.sent('/settings/preview')).toMatchObject([
      { name: 'team-a', quota: '6' }
    ]);
    expect(page.server.count('PUT /projects/team-a')).toBe(0);
    page.type('Quota', '7');
    expect(screen.queryByRole('region', { name: /^Effect/ })).toBeNull();
  });

  it('say what is wrong at its field, and go there', async () => {
    page.server.on(
      'POST /settings/preview',
      invalid({
        limit: 'Not a number.',
        'members[0]': 'No account.'
      })
    );
    await page.open();
    await page.click('New project');
    page.type('Name', 'team-e');
    await page.click('Apply');
    await screen.findByText('Not a number.');
    const limit = screen.getByLabelText('Limit');
    expect(limit.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(limit);
    expect(screen.getByText('No account.')).toBeTruthy();
    expect(page.value('Name')).toBe('team-e');
    // Before its name is known to be one it is no path.
    expect(page.server.count('PUT /projects/team-e')).toBe(0);
    page.type('Members', 'ana');
    expect(screen.queryByText('No account.')).toBeNull();
    expect(screen.getByText('Not a number.')).toBeTruthy();
  });

  it('say what is wrong with what the form lacks, too', async () => {
    page.server.on('PUT /projects/team-a', invalid({ odd: 'Too odd.' }));
    await page.open();
    await page.click('team-a');
    await page.click('Apply');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toBe('Too odd.');
  });

  it('are saved, and the focus goes back', async () => {
    page.server.on('PUT /projects/team-e', {
      body: {
        project: makeSetProject({ name: 'team-e' }),
        sessions: [],
        warnings: []
      }
    });
    await page.open();
    await page.click('New project');
    page.type('Name', 'team-e');
    page.type('Quota', '2');
    await page.click('Apply');
    await screen.findByText('team-e was saved.');
    expect(screen.queryByLabelText('Quota')).toBeNull();
    expect(document.activeElement?.textContent).toBe('New project');
    await waitFor(() => expect(page.server.count('GET /projects')).toBe(2));
  });

  it('propose accounts by name', async () => {
    await page.open();
    await page.click('New project');
    const proposed = (label: string) =>
      [...screen.getByLabelText<HTMLInputElement>(label).list!.options].map(
        ({ value }) => value
      );
    expect(proposed('Members')).toEqual(['ana']);
    page.type('Members', 'li, a');
    expect(proposed('Members')).toEqual(['li, ana']);
  });

  it('are deleted once that is confirmed', async () => {
    page.server.on('DELETE /projects/team-a', {
      body: { project: null, sessions: [], warnings: [] }
    });
    await page.open();
    await page.click('team-a');
    await page.click('Delete…');
    expect(await page.answer('Delete')).toContain('settings');
    await screen.findByText('team-a was deleted.');
    const [asked] = page.server.asked.filter(
      ({ method }) => method === 'DELETE'
    );
    expect(asked.query.get('revision')).toBe('7');
  });

  it('drain where they have sessions', async () => {
    page.server.on('DELETE /projects/team-a', ({ query }) =>
      query.get('drain') === 'true'
        ? {
            body: {
              project: makeSetProject({ draining: true }),
              sessions: ['exp-1'],
              warnings: []
            }
          }
        : problem('InUse', 'team-a has sessions: exp-1.', 'Stop them first.')
    );
    await page.open();
    await page.click('team-a');
    await page.click('Delete…');
    await page.answer('Delete');
    expect(await page.answer('Drain')).toContain('exp-1');
    await screen.findByText('team-a is draining.');
  });

  it('stay where the admin changes their mind', async () => {
    await page.open();
    await page.click('team-a');
    await page.click('Delete…');
    await page.answer('Cancel');
    expect(page.server.count('DELETE /projects/team-a')).toBe(0);
    expect(page.value('Name')).toBe('team-a');
  });

  it('ask before what was typed is lost', async () => {
    await page.open();
    await page.click('team-a');
    page.type('Quota', '6');
    await page.click('New project');
    await page.answer('Cancel');
    expect(page.value('Quota')).toBe('6');
    await page.click('New project');
    await page.answer('Leave');
    await waitFor(() => expect(page.value('Quota')).toBe(''));
  });
});
