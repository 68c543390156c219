import { screen, within } from '@testing-library/react';
import {
  AdministrationPage,
  invalid,
  problem
} from '../../__tests__/administrationpage';
import { makeAbout } from '../../__tests__/builders';
import { POLICY, TRIAL, UNTIL } from '../../__tests__/policies';
import { differenceOf } from '../../state/settings/audit';
import { timeText } from '../parts/texts';

describe('the idle policy, for admins', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing'] })
    });
    page.server.on('GET /policy', { body: POLICY });
    page.server.on('POST /policy/try', { body: TRIAL });
  });

  afterEach(() => page.dispose());

  const open = async () => {
    page.store.administration.policy.watch();
    await page.open();
    await screen.findByRole('table', { name: /Idle policy/ });
  };
  const row = (name: RegExp) =>
    within(screen.getByRole('table', { name: /Idle policy/ })).getByRole(
      'row',
      { name }
    );

  it('is a table of levels, weakest first, with what is locked', async () => {
    await open();
    const rows = screen
      .getByRole('table', { name: /Idle policy/ })
      .querySelectorAll('tbody tr');
    expect([...rows].map(item => item.firstElementChild?.textContent)).toEqual([
      'built-in',
      'everyone',
      'project:team-a'
    ]);
    expect(row(/built-in/).textContent).toContain('1h');
    expect(row(/built-in/).textContent).toContain('never');
    expect(row(/everyone/).textContent).toContain('2h (locked)');
    expect(row(/everyone/).textContent).toContain(
      'Extensions allowed: 0, Quiet hours: sat,sun 22:00-06:30 Europe/Berlin: 20m'
    );
    const exempt = screen.getByRole('table', { name: /Exemptions/ });
    expect(exempt.textContent).toContain(timeText(UNTIL));
    expect(exempt.textContent).toContain('a paper');
  });

  it('is not there where nothing acts on idle sessions', async () => {
    page.server.on('GET /about', { body: makeAbout() });
    await page.open();
    expect(screen.queryByText('Idle policy')).toBeNull();
  });

  it('can only be read where a file sets it', async () => {
    page.setProjects({ source: 'file', file: '/etc/gpu/quota.yaml' });
    await open();
    for (const name of ['Add policy', 'New exemption', 'everyone']) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
  });

  it('is tried on what was recorded, then put as a whole', async () => {
    await open();
    await page.click('everyone');
    expect(page.value('Idle timeout')).toBe('2h');
    expect(page.value('Quiet hours')).toBe(
      'sat,sun 22:00-06:30 Europe/Berlin: 20m'
    );
    expect(page.value('Warn before')).toBe('');
    page.type('Idle timeout', '30m');
    page.type('Quiet hours', 'none');
    page.tick('Lock Idle timeout');
    await page.click('Preview');
    const effect = await screen.findByRole('region', { name: /^Effect/ });
    expect(effect.textContent).toContain(TRIAL.message);
    expect(effect.textContent).toContain('0 → 12.5');
    page.server.on('PUT /policy', { body: { ...POLICY, revision: '8' } });
    await page.click('Apply');
    await screen.findByText('everyone was saved.');
    const [sent] = page.sent('/policy') as [object];
    expect(sent).toEqual({
      revision: '7',
      exemptions: POLICY.exemptions,
      levels: [
        {
          level: 'everyone',
          rules: {
            idle_timeout: '30m',
            keep_alives: '0',
            quiet_hours: [],
            locked: []
          }
        },
        {
          level: 'project:team-a',
          rules: { ...POLICY.levels[1].rules, quiet_hours: null }
        }
      ]
    });
    expect(page.sent('/policy/try')).toEqual([sent]);
  });

  it('says what is wrong at its field, quiet hours, too', async () => {
    page.server.on(
      'POST /policy/try',
      invalid({
        'levels[1].rules.warn_before': 'Longer than the timeout.',
        'levels[0].rules.idle_timeout': 'Of another level.'
      })
    );
    await open();
    await page.click('project:team-a');
    page.type('Quiet hours', 'at night');
    page.type('Warn before', '3h');
    await page.click('Preview');
    await screen.findByText('Longer than the timeout.');
    screen.getByText(/“at night” is not a valid list of quiet hours/);
    screen.getByText('Of another level.');
    const field = screen.getByLabelText('Warn before');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
  });

  it('goes on from what others have set meanwhile', async () => {
    await open();
    await page.click('everyone');
    page.type('Idle timeout', '30m');
    page.server.on('PUT /policy', problem('Outdated', 'li was quicker.'));
    await page.click('Apply');
    await screen.findByText('li was quicker.');
    const [everyone, ...others] = POLICY.levels;
    page.server.on('GET /policy', {
      body: {
        ...POLICY,
        revision: '8',
        levels: [
          {
            ...everyone,
            rules: { ...everyone.rules, idle_timeout: 3600, grace: 120 }
          },
          ...others
        ]
      }
    });
    await page.click(/^Merge/);
    await screen.findByText(/was set to “1h”/);
    expect(page.value('Idle timeout')).toBe('30m');
    expect(page.value('Shutdown grace period')).toBe('2m');
  });

  it('shows of a change what differs, rule by rule', async () => {
    const [everyone, team] = POLICY.levels;
    const rules = { ...everyone.rules, idle_timeout: 1800, locked: [] };
    const before = { levels: POLICY.levels, exemptions: [], revision: '7' };
    const after = {
      levels: [{ ...everyone, rules }, team],
      exemptions: POLICY.exemptions,
      revision: '8'
    };
    expect(
      differenceOf({
        before: JSON.stringify(before),
        after: JSON.stringify(after)
      })
    ).toEqual({
      before: 'everyone idle_timeout: 2h\neveryone locked: idle_timeout',
      after: `everyone idle_timeout: 30m\nexempt user:li: ${UNTIL}, a paper`
    });
  });

  it('shows at each field what holds while it is empty, and locks it there', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    const hint = (label: string) =>
      screen.getByLabelText<HTMLInputElement>(label).placeholder;
    const lock = (label: string) =>
      screen.getByLabelText<HTMLInputElement>(`Lock ${label}`);
    await page.click('everyone');
    expect(hint('Idle timeout')).toBe('never (built-in)');
    expect(lock('Idle timeout').checked).toBe(true);
    await page.click('Cancel');
    await page.click('project:team-a');
    expect(hint('Idle timeout')).toBe('2h (locked by everyone)');
    expect(hint('Extension length')).toBe('1h (built-in)');
    expect(hint('Extensions allowed')).toBe('0 (everyone)');
    expect(lock('Idle timeout').disabled).toBe(true);
    page.tick('Lock Warn before');
    page.tick('Lock Action when idle');
    page.type('Action when idle', '');
    expect(lock('Action when idle').checked).toBe(false);
    await page.click('Apply');
    await screen.findByText('project:team-a was saved.');
    const [{ levels }] = page.sent('/policy') as [{ levels: object[] }];
    expect(levels[1]).toEqual({
      level: 'project:team-a',
      rules: { warn_before: '0', locked: ['warn_before'] }
    });
  });

  it('offers what can be chosen: levels without rules, and actions', async () => {
    const built_in = { ...POLICY.built_in, gpu_idle_action: 'notify' };
    page.server.on('GET /policy', { body: { ...POLICY, built_in } });
    await open();
    await page.click('Add policy');
    const options = (label: string) =>
      [...screen.getByLabelText<HTMLSelectElement>(label).options].map(
        ({ text }) => text
      );
    expect(options('Applies to')).toEqual([
      'Choose…',
      'project:team-b',
      'kind:interactive',
      'kind:interactive-spot',
      'kind:train'
    ]);
    expect(options('Action when GPU idle')).toEqual([
      'Inherit: notify (built-in)',
      'suspend',
      'stop',
      'notify'
    ]);
  });

  it('merges the locks of two admins', async () => {
    await open();
    await page.click('everyone');
    page.tick('Lock Extensions allowed');
    page.server.on('PUT /policy', problem('Outdated', 'li was quicker.'));
    await page.click('Apply');
    await screen.findByText('li was quicker.');
    const [everyone, ...others] = POLICY.levels;
    const rules = { ...everyone.rules, locked: [] };
    page.server.on('GET /policy', {
      body: {
        ...POLICY,
        revision: '8',
        levels: [{ ...everyone, rules }, ...others]
      }
    });
    await page.click(/^Merge/);
    await screen.findByText(/^The current settings were loaded/);
    page.server.on('PUT /policy', { body: POLICY });
    await page.click('Apply');
    await screen.findByText('everyone was saved.');
    expect(page.sent('/policy').at(-1)).toMatchObject({
      levels: [{ rules: { locked: ['keep_alives'] } }, {}]
    });
  });

  it('leaves no level behind that sets nothing', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await page.click('project:team-a');
    page.type('Action when idle', '');
    page.type('Warn before', '');
    await page.click('Apply');
    await screen.findByText('project:team-a was saved.');
    const [{ levels }] = page.sent('/policy') as [{ levels: object[] }];
    expect(levels).toHaveLength(1);
  });

  it('makes a new level after a conflict, which was never gone', async () => {
    await open();
    await page.click('Add policy');
    page.type('Applies to', 'kind:train');
    page.type('Idle timeout', '30m');
    page.server.on('PUT /policy', problem('Outdated', 'li was quicker.'));
    await page.click('Apply');
    await screen.findByText('li was quicker.');
    page.server.on('GET /policy', { body: { ...POLICY, revision: '8' } });
    await page.click(/^Merge/);
    await screen.findByText(/^The current settings were loaded/);
    expect(screen.queryByText(/It was deleted/)).toBeNull();
    expect(page.value('Applies to')).toBe('kind:train');
    expect(page.value('Idle timeout')).toBe('30m');
  });

  it('deletes a level once that is confirmed', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await page.click('project:team-a');
    await page.click('Delete…');
    expect(await page.answer('Delete')).toContain(TRIAL.message);
    await screen.findByText('project:team-a was deleted.');
    const [{ levels }] = page.sent('/policy') as [{ levels: object[] }];
    expect(levels).toHaveLength(1);
  });
});
