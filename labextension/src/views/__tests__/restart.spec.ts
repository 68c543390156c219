import { CommandRegistry } from '@lumino/commands';
import {
  findByLabelText,
  fireEvent,
  getByLabelText,
  waitFor
} from '@testing-library/react';
import { makeAbout, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { ResizeRequest } from '../../api/models';
import { changeShare } from '../details/changeshare';

let page: Page;

beforeEach(() => {
  page = new Page();
});

afterEach(() => {
  page.dispose();
  document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
});

const button = (label: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')].find(
    ({ textContent }) => textContent?.trim() === label
  );

const click = async (label: string) => {
  await waitFor(() => expect(button(label)).toBeTruthy());
  button(label)?.click();
};

it('keeps variables that the user chooses while the share changes', async () => {
  const commands = new CommandRegistry();
  const ui = { workspace: page.store, commands, trans: page.trans };
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['variables'] })
  });
  await page.store.about.refresh();
  const message = 'pool: Pool cannot be pickled.';
  page.server.on('POST /sessions/s1/resize', {
    status: 422,
    body: {
      code: 'InvalidFields',
      message: '',
      fields: [{ field: 'keep', message, hint: 'Leave it out.' }]
    }
  });
  const done = changeShare(ui, makeSession());
  await waitFor(() => expect(button('Relaunch')).toBeTruthy());
  const dialog = document.querySelector('.jp-Dialog') as HTMLElement;
  const keep = await findByLabelText(dialog, 'Variables to keep');
  fireEvent.change(keep, { target: { value: 'weights, pool' } });
  const notebook = getByLabelText(dialog, 'Their notebook');
  fireEvent.change(notebook, { target: { value: ' a.ipynb ' } });
  await click('Relaunch');
  await waitFor(() => expect(dialog.textContent).toContain(message));
  page.server.on('POST /sessions/s1/resize', { body: makeSession() });
  fireEvent.change(keep, { target: { value: 'weights' } });
  await click('Relaunch');
  await done;
  const bodies = page.server.asked
    .filter(({ path }) => path.endsWith('/resize'))
    .map(({ body }) => body as ResizeRequest);
  expect(bodies.map(({ keep }) => keep)).toEqual([
    ['weights', 'pool'],
    ['weights']
  ]);
  expect(bodies.map(({ notebook }) => notebook)).toEqual([
    'a.ipynb',
    'a.ipynb'
  ]);
});

it('offers no variables of a session that does not run', async () => {
  const commands = new CommandRegistry();
  const ui = { workspace: page.store, commands, trans: page.trans };
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['variables'] })
  });
  await page.store.about.refresh();
  void changeShare(ui, makeSession({ state: 'suspended' }));
  await waitFor(() => expect(button('Relaunch')).toBeTruthy());
  const dialog = document.querySelector('.jp-Dialog') as HTMLElement;
  expect(dialog.textContent).not.toContain('Variables to keep');
  await click('Cancel');
});
