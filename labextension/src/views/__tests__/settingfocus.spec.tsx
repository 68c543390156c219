import { screen, waitFor } from '@testing-library/react';
import {
  AdministrationPage,
  invalid
} from '../../__tests__/administrationpage';
import { makeAbout, makeSetProject } from '../../__tests__/builders';
import { focus } from '../../__tests__/page';
import { POLICY } from '../../__tests__/policies';

describe('the keyboard in the forms of admins', () => {
  let page: AdministrationPage;

  beforeEach(async () => {
    page = new AdministrationPage();
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing'] })
    });
    page.server.on('GET /policy', { body: POLICY });
    page.store.administration.policy.watch();
    await page.open();
    await screen.findByRole('table', { name: /Idle policy/ });
  });

  afterEach(() => page.dispose());

  const press = async (name: string) => {
    focus(await screen.findByRole('button', { name }));
    await page.click(name);
  };
  const has = (element: HTMLElement) =>
    waitFor(() => expect(document.activeElement).toBe(element));
  const button = (name: string) => screen.getByRole('button', { name });

  it('goes to the form of a project, and back to its row', async () => {
    const project = makeSetProject({ quota: 6000, revision: '8' });
    page.server.on('PUT /projects/team-a', {
      body: { project, sessions: [], warnings: [] }
    });
    await press('team-a');
    await has(screen.getByLabelText('Quota'));
    page.type('Quota', '6');
    page.setProjects({ items: [project] });
    await press('Apply');
    await screen.findByText('team-a was saved.');
    await has(button('team-a'));
    await screen.findByRole('cell', { name: '6' });
    await has(button('team-a'));
  });

  it('goes to the first rule of a policy, and back to its level', async () => {
    page.server.on('PUT /policy', { body: POLICY });
    await press('everyone');
    await has(screen.getByLabelText('Idle timeout'));
    await press('Cancel');
    await has(button('everyone'));
    await press('everyone');
    page.type('Idle timeout', '30m');
    await press('Apply');
    await screen.findByText('everyone was saved.');
    await has(button('everyone'));
  });

  it.each([
    ['Apply', { status: 200, body: POLICY }, 'everyone was saved.'],
    [
      'Apply',
      invalid({ 'levels[0].rules.idle_timeout': 'Too long.' }),
      'Too long.'
    ]
  ])('stays where it has gone meanwhile (%s)', async (name, reply, text) => {
    const { body } = document;
    const field = body.appendChild(document.createElement('input'));
    page.server.on('PUT /policy', () => {
      field.focus();
      return reply;
    });
    await press('everyone');
    page.type('Idle timeout', '30m');
    await press(name);
    await screen.findByText(text);
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it('goes on from what makes new ones where the row is deleted', async () => {
    page.server.on('DELETE /projects/team-a', {
      body: { project: null, sessions: [], warnings: [] }
    });
    await press('team-a');
    await press('Delete…');
    await page.answer('Delete');
    await screen.findByText('team-a was deleted.');
    await has(button('New project'));
  });
});
