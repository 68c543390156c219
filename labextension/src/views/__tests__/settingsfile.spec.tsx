import { screen, waitFor } from '@testing-library/react';
import {
  AdministrationPage,
  invalid,
  problem
} from '../../__tests__/administrationpage';
import { IReply } from '../../__tests__/fakeserver';

const TEXT = 'projects:\n- {name: team-a, quota: 4}\nrules: {grace: 2m}\n';
const LABEL = 'Settings (YAML)';

describe('all settings as a file', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
    page.server.on('GET /settings', {
      body: { text: TEXT, revision: 'r1', file: '' }
    });
  });

  afterEach(() => page.dispose());

  const open = async (button = 'Edit as file') => {
    await page.open();
    const opener = screen.getByRole('button', { name: button });
    opener.click();
    await screen.findByLabelText(LABEL);
    return opener;
  };

  it('are opened beside the heading, changed and saved', async () => {
    page.server.on('PUT /settings', {
      body: { text: TEXT, revision: 'r2', file: '' }
    });
    const opener = await open();
    expect(page.value(LABEL)).toBe(TEXT);
    expect(document.activeElement).toBe(screen.getByLabelText(LABEL));
    page.type(LABEL, 'projects: []');
    await page.click('Apply');
    await screen.findByText('The settings were saved.');
    expect(page.sent('/settings')).toEqual([
      { text: 'projects: []', revision: 'r1' }
    ]);
    expect(screen.queryByLabelText(LABEL)).toBeNull();
    expect(document.activeElement).toBe(opener);
    await waitFor(() => expect(page.server.count('GET /projects')).toBe(2));
  });

  it.each(['GET', 'PUT'])(
    'leave the focus where the user has gone until the answer (%s)',
    async late => {
      const { body } = document;
      const field = body.appendChild(document.createElement('input'));
      let answer: () => void = () => undefined;
      const hold = new Promise<void>(resolve => (answer = resolve));
      const replies: Record<string, IReply> = {
        GET: { body: { text: TEXT, revision: 'r1', file: '' } },
        PUT: invalid({ 'Line 3': 'Wrong.' })
      };
      for (const [method, reply] of Object.entries(replies)) {
        page.server.on(`${method} /settings`, async () => {
          if (method === late) {
            await hold;
          }
          return reply;
        });
      }
      await page.open();
      screen.getByRole('button', { name: 'Edit as file' }).click();
      if (late === 'PUT') {
        await screen.findByLabelText(LABEL);
        await page.click('Apply');
      }
      await waitFor(() =>
        expect(page.server.count(`${late} /settings`)).toBe(1)
      );
      field.focus();
      answer();
      await (late === 'PUT'
        ? screen.findByRole('alert')
        : screen.findByLabelText(LABEL));
      expect(document.activeElement).toBe(field);
      field.remove();
    }
  );

  it('name each mistake with its line, and go to the first', async () => {
    page.server.on(
      'PUT /settings',
      invalid({ 'Line 3, rules.grace': 'Not a duration.' })
    );
    await open();
    await page.click('Apply');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toBe('Line 3, rules.grace Not a duration.');
    const area = screen.getByLabelText<HTMLTextAreaElement>(LABEL);
    const { selectionEnd, selectionStart, value } = area;
    expect(value.slice(selectionStart, selectionEnd)).toBe(
      'rules: {grace: 2m}'
    );
    expect(area.getAttribute('aria-invalid')).toBe('true');
  });

  it('say who was quicker, and are loaded again', async () => {
    page.server.on('PUT /settings', problem('Outdated', 'ben at 12:30.'));
    await open();
    page.type(LABEL, 'projects: []');
    await page.click('Apply');
    await screen.findByText('ben at 12:30.');
    expect(page.value(LABEL)).toBe('projects: []');
    await page.click('Discard my changes and reload');
    await waitFor(() => expect(page.value(LABEL)).toBe(TEXT));
  });

  it('ask before what was typed is lost', async () => {
    await open();
    page.type(LABEL, 'projects: []');
    await page.click('Close');
    await page.answer('Cancel');
    expect(page.value(LABEL)).toBe('projects: []');
    await page.click('Close');
    await page.answer('Leave');
    await waitFor(() => expect(screen.queryByLabelText(LABEL)).toBeNull());
  });

  it('can only be read where a file sets them', async () => {
    const file = '/etc/gpu/quota.yaml';
    page.setProjects({ source: 'file', file });
    page.server.on('GET /settings', {
      body: { text: TEXT, revision: 'r1', file }
    });
    await open('Show as file');
    expect(screen.getByText(`To make changes, edit the file ${file}.`));
    const area = screen.getByLabelText<HTMLTextAreaElement>(LABEL);
    expect(area.readOnly).toBe(true);
    expect(screen.queryByRole('button', { name: 'Apply' })).toBeNull();
  });
});
