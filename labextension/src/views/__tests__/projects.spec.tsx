import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeQuota, makeSetProject } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Projects } from '../../api/models';
import { CommandIDs } from '../../commands';
import { ProjectsView } from '../projects';
import { TeamView } from '../team';

const ENTRY = {
  id: '1',
  at: '2026-01-01T12:00:00Z',
  who: 'ben',
  what: 'set project team-a',
  before: '{"quota": 3000}',
  after: '{"quota": 4000}'
};

function problem(code: string, message: string, hint = '') {
  return { status: 409, body: { code, message, hint, fields: [] } };
}

describe('the projects', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /quota', { body: makeQuota({ admin: true }) });
    page.server.on('GET /audit', {
      body: { items: [ENTRY], total: 600, revision: 1, next: '1' }
    });
    page.server.on('POST /settings/preview', {
      body: {
        message: '1 session would start.',
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
            message: 'It gives back 1 GPU.'
          }
        ],
        warnings: ['Quotas add up to more than the machine.']
      }
    });
    list();
  });

  afterEach(() => {
    page.dispose();
    document.querySelectorAll('.jp-Dialog').forEach(dialog => dialog.remove());
  });

  const list = (changes: Partial<Projects> = {}) =>
    page.server.on('GET /projects', {
      body: {
        items: [
          makeSetProject({ members: ['ana'] }),
          makeSetProject({ name: 'team-b', draining: true })
        ],
        source: 'store',
        revision: 1,
        file: '',
        warnings: [],
        ...changes
      }
    });
  const show = async () => {
    page.store.administration.projects.watch();
    page.store.administration.audit.watch();
    page.show(<ProjectsView />);
    await screen.findByRole('table', { name: /Projects/ });
    await screen.findByRole('table', { name: /Changes/ });
  };
  const click = async (name: string | RegExp) =>
    fireEvent.click(await screen.findByRole('button', { name }));
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  const value = (label: string) =>
    screen.getByLabelText<HTMLInputElement>(label).value;
  const answer = async (button: string) => {
    const found = await waitFor(() => {
      const buttons = [
        ...document.querySelectorAll<HTMLElement>('.jp-Dialog button')
      ];
      const wanted = buttons.find(({ textContent }) => textContent === button);
      expect(wanted).toBeDefined();
      return wanted!;
    });
    const dialog = found.closest('.jp-Dialog')!;
    const text = dialog.textContent;
    await act(async () => found.click());
    await waitFor(() => expect(dialog.isConnected).toBe(false));
    return text;
  };

  it('are a table, with who changed what below', async () => {
    await show();
    const row = screen.getByRole('row', { name: /team-b/ });
    expect(row.textContent).toContain('as quota');
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
        <ProjectsView />
        <TeamView state={null} />
      </>
    );
    await screen.findByText(/Only admins/);
    await screen.findByRole('button', { name: 'Dashboard' });
    expect(screen.queryByRole('button', { name: 'Projects' })).toBeNull();
  });

  it('are a click away from the team of an admin', async () => {
    page.show(<TeamView state={null} />);
    await click('Projects');
    expect(page.executed).toEqual([[CommandIDs.projects, null]]);
  });

  it('can only be read where a file sets them', async () => {
    list({ source: 'file', file: '/etc/gpu/quota.yaml' });
    await show();
    expect(screen.getByText(/in the file \/etc\/gpu\/quota.yaml/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'New project' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'team-a' })).toBeNull();
  });

  it('say what a change would do before it is made', async () => {
    await show();
    await click('team-a');
    expect(document.activeElement).toBe(screen.getByLabelText('Quota'));
    type('Quota', '6');
    await click('Try it');
    const effect = await screen.findByRole('region', { name: /would happen/ });
    expect(effect.textContent).toContain('1 session would start.');
    expect(effect.textContent).toContain('5 instead of 4');
    expect(effect.textContent).toContain('Reclaimed: exp-9 (team-b)');
    expect(effect.textContent).toContain('more than the machine');
    expect(page.server.count('PUT /projects/team-a')).toBe(0);
  });

  it('say what is wrong at its field, and go there', async () => {
    page.server.on('POST /settings/preview', {
      status: 422,
      body: {
        code: 'InvalidFields',
        message: 'Not acceptable.',
        hint: '',
        fields: [
          { field: 'put[0].limit', message: 'Not a number.', hint: 'Write 4.' },
          { field: 'put[0].min_runtime', message: 'No span.', hint: '' }
        ]
      }
    });
    await show();
    await click('New project');
    type('Name', 'team-e');
    await click('Apply');
    await screen.findByText('Not a number. Write 4.');
    const limit = screen.getByLabelText('Limit');
    expect(limit.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(limit);
    expect(screen.getByText('No span.')).toBeTruthy();
    expect(value('Name')).toBe('team-e');
  });

  it('are saved, and the focus goes back', async () => {
    page.server.on('PUT /projects/team-e', {
      body: {
        project: makeSetProject({ name: 'team-e' }),
        sessions: [],
        warnings: []
      }
    });
    await show();
    await click('New project');
    type('Name', 'team-e');
    type('Quota', '2');
    await click('Apply');
    await screen.findByText('team-e was saved.');
    expect(screen.queryByLabelText('Quota')).toBeNull();
    expect(document.activeElement?.textContent).toBe('New project');
    await waitFor(() => expect(page.server.count('GET /projects')).toBe(2));
  });

  it('say who was quicker, and lose nothing', async () => {
    page.server.on(
      'PUT /projects/team-a',
      problem('Outdated', 'team-a was changed meanwhile: ben at 12:30.')
    );
    await show();
    await click('team-a');
    type('Quota', '6');
    await click('Apply');
    await screen.findByText(/ben at 12:30/);
    list({
      items: [makeSetProject({ quota: 5000, limit: 8000, revision: 8 })]
    });
    await click(/^Reload/);
    await screen.findByText(/what you typed stayed/);
    expect(screen.getByText(/Quota: it was set to “5”/)).toBeTruthy();
    expect(value('Quota')).toBe('6');
    expect(value('Limit')).toBe('8');
  });

  it('are deleted once that is confirmed', async () => {
    page.server.on('DELETE /projects/team-a', {
      body: { project: null, sessions: [], warnings: [] }
    });
    await show();
    await click('team-a');
    await click('Delete…');
    expect(await answer('Delete')).toContain('1 session would start.');
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
    await show();
    await click('team-a');
    await click('Delete…');
    await answer('Delete');
    expect(await answer('Drain')).toContain('exp-1');
    await screen.findByText('team-a drains.');
  });

  it('stay where the admin changes their mind', async () => {
    await show();
    await click('team-a');
    await click('Delete…');
    await answer('Cancel');
    expect(page.server.count('DELETE /projects/team-a')).toBe(0);
    expect(value('Name')).toBe('team-a');
  });

  it('ask before what was typed is lost', async () => {
    await show();
    await click('team-a');
    type('Quota', '6');
    await click('New project');
    await answer('Cancel');
    expect(value('Quota')).toBe('6');
    await click('New project');
    await answer('Leave');
    await waitFor(() => expect(value('Quota')).toBe(''));
  });
});
