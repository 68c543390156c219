import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import {
  AdministrationPage,
  invalid,
  problem
} from '../../__tests__/administrationpage';
import { makeGroups, makeRules } from '../../__tests__/builders';

const BIG = { name: 'big', nodes: ['dgx1-2'], separate: true };
const APART = 'Separate compute-share and memory-share sessions';

describe('rules and node groups', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
    page.server.on('GET /nodes', {
      body: {
        nodes: ['dgx1-1', 'dgx1-2'].map(name => ({ name, devices: [] })),
        revision: '1',
        simulated: true
      }
    });
    page.setRules({ grace: 120, consolidate: true });
    page.setGroups(BIG);
  });

  afterEach(() => page.dispose());

  const rules = () => screen.getByRole('region', { name: /^Rules/ });
  const groups = () => screen.getByRole('table', { name: /Node groups/ });
  const box = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

  it('stand below the projects', async () => {
    await page.open();
    expect(
      screen.getAllByRole('heading', { level: 3 }).map(h => h.textContent)
    ).toEqual([
      'Projects 2',
      'Rules for all projects',
      'Node groups 1',
      'Changes 1'
    ]);
    expect(rules().textContent).toContain('Time to save2m');
    expect(rules().textContent).toContain('Protected fornone');
    expect(rules().textContent).toContain('Consolidateyes');
    const row = within(groups()).getByRole('row', { name: /big/ });
    expect(row.textContent).toBe('bigdgx1-2separate');
  });

  it('are offered to projects', async () => {
    await page.open();
    await page.click('New project');
    for (const label of ['Interactive nodes', 'Training nodes']) {
      const help = box(label).getAttribute('aria-describedby') ?? '';
      const text = document.getElementById(help)?.textContent;
      expect(text).toContain('Available: big.');
    }
    // A landmark inside another would mislead screen readers.
    expect(screen.queryByRole('contentinfo')).toBeNull();
  });

  it('can only be read where a file sets them', async () => {
    page.setProjects({ source: 'file', file: '/etc/gpu/quota.yaml' });
    await page.open();
    expect(screen.getByText(/^Managed by the file/)).toBeTruthy();
    for (const name of ['Change rules', 'New group', 'big']) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
    expect(groups().textContent).toContain('dgx1-2');
  });

  it('say what they would do before they are changed', async () => {
    page.foresee('Nothing would change.');
    await page.open();
    await page.click('Change rules');
    expect(document.activeElement).toBe(box('Time to save'));
    expect(page.value('Time to save')).toBe('2m');
    expect(box('Consolidate').checked).toBe(true);
    page.type('Time to save', '90s');
    fireEvent.click(box('Consolidate'));
    await page.click('Preview');
    const effect = await screen.findByRole('region', { name: /^Effect/ });
    expect(effect.textContent).toContain('Nothing would change.');
    expect(page.sent('/settings/preview')).toEqual([
      {
        rules: {
          grace: '90s',
          min_runtime: 0,
          consolidate: false,
          revision: '3'
        }
      }
    ]);
    expect(page.sent('/rules')).toEqual([]);
  });

  it('are saved, and the focus goes back', async () => {
    page.server.on('PUT /rules', { body: makeRules({ min_runtime: 600 }) });
    await page.open();
    await page.click('Change rules');
    page.type('Protected for', '10m');
    page.setRules({ min_runtime: 600 });
    await page.click('Apply');
    await screen.findByText('The rules were saved.');
    expect(document.activeElement?.textContent).toBe('Change rules');
    await waitFor(() => expect(rules().textContent).toContain('10m'));
  });

  it('say what is wrong at its field, and go there', async () => {
    page.server.on(
      'PUT /groups',
      invalid({
        'groups[1].nodes[0]': "There is no node 'dgx9'.",
        groups: 'team-a may run on the group old only.'
      })
    );
    await page.open();
    await page.click('New group');
    expect(screen.getByText(/Available: dgx1-1, dgx1-2\./)).toBeTruthy();
    page.type('Name', 'new');
    page.type('Nodes', 'dgx9');
    await page.click('Apply');
    await screen.findByText(/no node 'dgx9'/);
    expect(box('Nodes').getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(box('Nodes'));
    expect(screen.getByRole('alert').textContent).toContain('group old');
  });

  it('propose the nodes that are not in the list yet', async () => {
    await page.open();
    await page.click('New group');
    const proposed = () =>
      [...box('Nodes').list!.options].map(({ value }) => value);
    expect(proposed()).toEqual(['dgx1-1', 'dgx1-2']);
    page.type('Nodes', 'dgx1-1, d');
    expect(proposed()).toEqual(['dgx1-1, dgx1-2']);
  });

  it('make a group beside the others', async () => {
    page.server.on('PUT /groups', { body: makeGroups() });
    await page.open();
    await page.click('New group');
    page.type('Name', 'small');
    page.type('Nodes', 'dgx1-1');
    fireEvent.click(box(APART));
    await page.click('Apply');
    await screen.findByText('small was saved.');
    expect(page.sent('/groups')).toEqual([
      {
        groups: [BIG, { name: 'small', nodes: ['dgx1-1'], separate: true }],
        revision: '5'
      }
    ]);
  });

  it('say who was quicker, and lose nothing', async () => {
    page.server.on('PUT /groups', problem('Outdated', 'ben at 12:30.'));
    await page.open();
    await page.click('big');
    expect(box('Name').readOnly).toBe(true);
    fireEvent.click(box(APART));
    page.type('Nodes', 'dgx1-1');
    await page.click('Apply');
    await screen.findByText('ben at 12:30.');
    page.setGroups({ ...BIG, nodes: ['dgx1-1', 'dgx1-2'] });
    await page.click(/^Merge/);
    await screen.findByText(/Your changes were kept/);
    expect(screen.getByText(/Nodes was set to “dgx1-1, dgx1-2”/)).toBeTruthy();
    expect(document.activeElement).toBe(box('Nodes'));
    expect(box(APART).checked).toBe(false);
  });

  it('say what else a box was set to', async () => {
    page.server.on('PUT /rules', problem('Outdated', 'ben at 12:30.'));
    page.setRules({ consolidate: false });
    await page.open();
    await page.click('Change rules');
    page.type('Time to save', '5m');
    await page.click('Apply');
    await screen.findByText('ben at 12:30.');
    page.setRules({ grace: 30, consolidate: true });
    await page.click(/^Merge/);
    await screen.findByText(/Time to save was set to “30s”/);
    expect(box('Consolidate').checked).toBe(true);
  });

  it('delete a group once that is confirmed', async () => {
    page.server.on('PUT /groups', { body: makeGroups() });
    await page.open();
    await page.click('big');
    await page.click('Delete…');
    expect(await page.answer('Delete')).toContain('1 session would start.');
    await screen.findByText('big was deleted.');
    expect(page.sent('/settings/preview')).toEqual([{ groups: [] }]);
    expect(page.sent('/groups')).toEqual([{ groups: [], revision: '5' }]);
  });

  it('delete a group at the second attempt where somebody was quicker', async () => {
    page.server.on('PUT /groups', problem('Outdated', 'ben at 12:30.'));
    await page.open();
    await page.click('big');
    await page.click('Delete…');
    const small = { name: 'small', nodes: [], separate: false };
    page.server.on('GET /groups', { body: makeGroups([BIG, small], '6') });
    await page.answer('Delete');
    await screen.findByText('ben at 12:30.');
    await screen.findByText(/current settings were loaded/);
    page.server.on('PUT /groups', { body: makeGroups([small], '7') });
    await page.click('Delete…');
    await page.answer('Delete');
    await screen.findByText('big was deleted.');
    expect(page.sent('/groups').at(-1)).toEqual({
      groups: [small],
      revision: '6'
    });
  });

  it('keep a group that a project needs, and say which', async () => {
    page.server.on(
      'POST /settings/preview',
      invalid({ groups: 'team-a may run on the group big only.' })
    );
    await page.open();
    await page.click('big');
    await page.click('Delete…');
    await screen.findByText('team-a may run on the group big only.');
    expect(page.sent('/groups')).toEqual([]);
    expect(page.value('Name')).toBe('big');
  });
});
