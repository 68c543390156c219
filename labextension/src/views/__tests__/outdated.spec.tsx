import { screen, waitFor, within } from '@testing-library/react';
import {
  AdministrationPage,
  problem
} from '../../__tests__/administrationpage';
import { makeSetProject } from '../../__tests__/builders';

const SAVED = {
  body: {
    project: makeSetProject({ revision: '9' }),
    sessions: [],
    warnings: []
  }
};

describe('projects that others have changed', () => {
  let page: AdministrationPage;

  beforeEach(() => {
    page = new AdministrationPage();
  });

  afterEach(() => page.dispose());

  it('say who was quicker, and go on from what is there', async () => {
    page.server.on(
      'PUT /projects/team-a',
      problem('Outdated', 'team-a was changed meanwhile: ben at 12:30.')
    );
    await page.open();
    await page.click('team-a');
    page.type('Quota', '6');
    await page.click('Apply');
    await screen.findByText(/ben at 12:30/);
    expect(page.value('Quota')).toBe('6');
    page.setProjects({
      items: [makeSetProject({ quota: 5000, limit: 8000, revision: '8' })]
    });
    await page.click(/^Discard/);
    await waitFor(() => expect(page.value('Quota')).toBe('5'));
    expect(page.value('Limit')).toBe('8');
    expect(document.activeElement).toBe(screen.getByLabelText('Quota'));
    page.type('Quota', '6');
    page.server.on('PUT /projects/team-a', SAVED);
    await page.click('Apply');
    await screen.findByText('team-a was saved.');
    expect(page.sent('/projects/team-a')).toMatchObject([
      { quota: '6', revision: '7' },
      { quota: '6', limit: '8', revision: '8' }
    ]);
  });

  it('say that one is gone, and where they cannot look', async () => {
    page.server.on('PUT /projects/team-a', problem('Outdated', 'Changed.'));
    await page.open();
    await page.click('team-a');
    await page.click('Apply');
    await screen.findByText('Changed.');
    page.server.isDown = true;
    await page.click(/^Discard/);
    const form = screen.getByRole('form');
    await waitFor(() => expect(form.textContent).not.toContain('Changed.'));
    await within(form).findByRole('alert');
    page.server.isDown = false;
    await page.click('Apply');
    await screen.findByText('Changed.');
    page.setProjects({ items: [] });
    await page.click(/^Discard/);
    await screen.findByText('It was deleted.');
    expect(screen.queryByRole('form')).toBeNull();
  });

  it('are not deleted where somebody else was quicker', async () => {
    page.server.on('DELETE /projects/team-a', problem('Outdated', 'Changed.'));
    await page.open();
    await page.click('team-a');
    await page.click('Delete…');
    await page.answer('Delete');
    await screen.findByText('Changed.');
    expect(page.value('Name')).toBe('team-a');
    await screen.findByRole('button', { name: /^Discard/ });
  });
});
