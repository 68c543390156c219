import { JupyterFrontEnd } from '@jupyterlab/application';
import { waitFor } from '@testing-library/react';
import { makeQuota } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { CommandRegistry } from '@lumino/commands';
import { projects } from '../projects';

describe('the command that opens the projects', () => {
  let page: Page;
  let commands: CommandRegistry;
  let changes: string[];

  beforeEach(() => {
    page = new Page();
    commands = new CommandRegistry();
    changes = [];
    commands.commandChanged.connect((_, { id, type }) => {
      if (id === CommandIDs.projects && type === 'changed') {
        changes.push(type);
      }
    });
  });

  afterEach(() => page.dispose());

  const activate = (admin: boolean) => {
    page.server.on('GET /quota', { body: makeQuota({ admin }) });
    const app = { commands, restored: Promise.resolve() };
    void projects.activate(
      app as unknown as JupyterFrontEnd,
      page.store,
      null,
      null
    );
  };
  const isVisible = () => commands.isVisible(CommandIDs.projects);

  it('is there for an admin, once that is known', async () => {
    activate(true);
    expect(isVisible()).toBe(false);
    await waitFor(() => expect(changes).toEqual(['changed']));
    expect(isVisible()).toBe(true);
  });

  it('goes when the user is an admin no more', async () => {
    activate(true);
    await waitFor(() => expect(isVisible()).toBe(true));
    page.server.on('GET /quota', { body: makeQuota() });
    await page.store.quota.refresh();
    expect(isVisible()).toBe(false);
    expect(changes).toHaveLength(2);
  });

  it('is not there for anybody else', async () => {
    activate(false);
    await waitFor(() => expect(page.store.quota.result.status).toBe('ready'));
    expect(isVisible()).toBe(false);
    expect(changes).toEqual([]);
  });
});
