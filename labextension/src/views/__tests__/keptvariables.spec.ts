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
  const weights = { name: 'weights', type: 'ndarray', size: 2_097_152 };
  const pool = { name: 'pool', type: 'Pool', size: 48 };
  const busy = { path: 'b.ipynb', name: 'b', variables: [], more: 0 };
  page.server.on('GET /sessions/s1/variables', {
    body: {
      items: [
        {
          ...{ path: 'a.ipynb', name: 'a', more: 0, problem: '' },
          variables: [weights, pool]
        },
        { ...busy, problem: 'It runs a cell.' }
      ],
      problem: ''
    }
  });
  const message = 'pool: Pool cannot be pickled.';
  page.server.on('POST /sessions/s1/resize', {
    status: 422,
    body: {
      code: 'InvalidFields',
      message: '',
      fields: [{ field: 'keep[0]', message, hint: 'Leave it out.' }]
    }
  });
  const done = changeShare(ui, makeSession());
  await waitFor(() => expect(button('Relaunch')).toBeTruthy());
  const dialog = document.querySelector('.jp-Dialog') as HTMLElement;
  const chosen = await findByLabelText(dialog, /^weights ndarray · 2 MiB/);
  expect(dialog.textContent).toContain('b loses its variables');
  fireEvent.click(chosen);
  fireEvent.click(getByLabelText(dialog, /^pool/));
  await click('Relaunch');
  await waitFor(() => expect(dialog.textContent).toContain(message));
  page.server.on('POST /sessions/s1/resize', { body: makeSession() });
  fireEvent.click(getByLabelText(dialog, /^pool/));
  await click('Relaunch');
  await done;
  const bodies = page.server.asked
    .filter(({ path }) => path.endsWith('/resize'))
    .map(({ body }) => (body as ResizeRequest).keep);
  expect(bodies).toEqual([
    [{ path: 'a.ipynb', names: ['weights', 'pool'] }],
    [{ path: 'a.ipynb', names: ['weights'] }]
  ]);
});
