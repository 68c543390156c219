import { screen, waitFor, within } from '@testing-library/react';
import {
  AdministrationPage,
  invalid,
  problem
} from '../../__tests__/administrationpage';
import { makeAbout } from '../../__tests__/builders';
import { PAST, POLICY, UNTIL } from '../../__tests__/policies';
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
    page.server.on('POST /policy/preview', { body: PAST });
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

  it('is a table of levels, weakest first, with all rules of each', async () => {
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
    expect(row(/everyone/).textContent).toContain('2h');
    expect(row(/everyone/).textContent).toContain('Extensions allowed: 0');
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

  it('says while it is typed whom it would have ended, then is put as a whole', async () => {
    await open();
    await page.click('everyone');
    expect(page.value('Idle timeout')).toBe('2h');
    expect(page.value('Warn before')).toBe('');
    page.type('Idle timeout', '30m');
    const effect = await screen.findByLabelText('Effect of this change');
    await within(effect).findByText(PAST.text);
    expect(screen.queryByRole('button', { name: 'Preview' })).toBeNull();
    page.server.on('PUT /policy', { body: { ...POLICY, revision: '8' } });
    await page.click('Apply');
    await screen.findByText('everyone was saved.');
    const [sent] = page.sent('/policy') as [object];
    const [everyone, team] = POLICY.levels;
    expect(sent).toEqual({
      revision: '7',
      exemptions: POLICY.exemptions,
      levels: [
        // What the form does not have stays: extensions, here.
        { ...everyone, rules: { ...everyone.rules, idle_timeout: '30m' } },
        team
      ]
    });
    expect(page.sent('/policy/preview').at(-1)).toEqual(sent);
  });

  it('says nothing of what is not typed to the end, and why nothing can be said', async () => {
    page.server.on(
      'POST /policy/preview',
      invalid({ 'levels[0].rules.idle_timeout': 'Too short.' })
    );
    await open();
    await page.click('everyone');
    const effect = screen.getByLabelText('Effect of this change');
    await waitFor(() => expect(page.sent('/policy/preview')).toHaveLength(1));
    expect(effect.textContent).toBe('');
    expect(screen.queryByText('Too short.')).toBeNull();
    page.server.on(
      'POST /policy/preview',
      problem('StorageFailed', 'No disk.')
    );
    page.type('Idle timeout', '3h');
    await within(effect).findByText('No disk.');
  });

  it('says what is wrong at its field', async () => {
    page.server.on(
      'PUT /policy',
      invalid({
        'levels[1].rules.warn_before': 'Longer than the timeout.',
        'levels[0].rules.idle_timeout': 'Of another level.'
      })
    );
    await open();
    await page.click('project:team-a');
    page.type('Warn before', '3h');
    await page.click('Apply');
    await screen.findByText('Longer than the timeout.');
    screen.getByText('Of another level.');
    const field = screen.getByLabelText('Warn before');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
  });

  it('says who was quicker, and goes on from what they have set', async () => {
    await open();
    await page.click('everyone');
    page.type('Idle timeout', '30m');
    page.server.on('PUT /policy', problem('Outdated', 'li was quicker.'));
    await page.click('Apply');
    await screen.findByText('li was quicker.');
    expect(page.value('Idle timeout')).toBe('30m');
    const [everyone, ...others] = POLICY.levels;
    const rules = { ...everyone.rules, idle_timeout: 3600, grace: 120 };
    page.server.on('GET /policy', {
      body: {
        ...POLICY,
        revision: '8',
        levels: [{ ...everyone, rules }, ...others]
      }
    });
    await page.click(/^Discard/);
    await waitFor(() => expect(page.value('Idle timeout')).toBe('1h'));
    page.type('Idle timeout', '30m');
    page.server.on('PUT /policy', { body: POLICY });
    await page.click('Apply');
    await screen.findByText('everyone was saved.');
    expect(page.sent('/policy').at(-1)).toMatchObject({
      revision: '8',
      levels: [{ rules: { idle_timeout: '30m', grace: 120 } }, {}]
    });
  });

  it('shows of a change what differs, rule by rule', async () => {
    const [everyone, team] = POLICY.levels;
    const rules = { ...everyone.rules, idle_timeout: 1800 };
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
      before: 'everyone idle_timeout: 2h',
      after: `everyone idle_timeout: 30m\nexempt user:li: ${UNTIL}, a paper`
    });
  });

  it('has three fields, with what holds while they are empty', async () => {
    await open();
    const fields = () =>
      [
        ...screen
          .getByRole('form')
          .querySelectorAll<HTMLInputElement>('input, select')
      ].map(({ name }) => name);
    const hint = (label: string) =>
      screen.getByLabelText<HTMLInputElement>(label).placeholder;
    await page.click('everyone');
    expect(fields()).toEqual([
      'level',
      'idle_timeout',
      'action',
      'warn_before'
    ]);
    expect(hint('Idle timeout')).toBe('never (built-in)');
    await page.click('Cancel');
    await page.click('project:team-a');
    expect(hint('Idle timeout')).toBe('2h (everyone)');
  });

  it('offers what can be chosen: levels without rules, and actions', async () => {
    const built_in = { ...POLICY.built_in, action: 'notify' };
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
    expect(options('Action when idle')).toEqual([
      'Inherit: notify (built-in)',
      'suspend',
      'stop',
      'notify'
    ]);
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

  it('makes a new level after a conflict', async () => {
    await open();
    await page.click('Add policy');
    page.type('Applies to', 'kind:train');
    page.type('Idle timeout', '30m');
    page.server.on('PUT /policy', problem('Outdated', 'li was quicker.'));
    await page.click('Apply');
    await screen.findByText('li was quicker.');
    page.server.on('GET /policy', { body: { ...POLICY, revision: '8' } });
    await page.click(/^Discard/);
    await waitFor(() => expect(page.value('Idle timeout')).toBe(''));
    expect(screen.queryByText('li was quicker.')).toBeNull();
    page.type('Applies to', 'kind:train');
    page.server.on('PUT /policy', { body: POLICY });
    await page.click('Apply');
    await screen.findByText('kind:train was saved.');
    expect(page.sent('/policy').at(-1)).toMatchObject({ revision: '8' });
  });

  it('deletes a level once that is confirmed', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await open();
    await page.click('project:team-a');
    await page.click('Delete…');
    expect(await page.answer('Delete')).toContain(PAST.text);
    await screen.findByText('project:team-a was deleted.');
    const [{ levels }] = page.sent('/policy') as [{ levels: object[] }];
    expect(levels).toHaveLength(1);
  });
});
