import { CommandRegistry } from '@lumino/commands';
import {
  findByLabelText,
  fireEvent,
  getByLabelText,
  waitFor
} from '@testing-library/react';
import { makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { makeVolume } from '../../__tests__/storage';
import { Volume } from '../../api/models';
import { missingFolder } from '../../plugins/notebooks/about';
import { mountFolder } from '../details/mountfolder';

const FOLDER = '/home/ana/work';

let page: Page;

beforeEach(() => {
  page = new Page();
});

afterEach(() => {
  page.dispose();
  document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
});

const dialog = async () => {
  await waitFor(() => expect(button()).toBeTruthy());
  return document.querySelector<HTMLElement>('.jp-Dialog')!;
};
const button = () =>
  document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-accept');

function mount(...items: Volume[]): Promise<void> {
  page.server.on('GET /volumes', {
    body: { items, classes: [], problems: [] }
  });
  const ui = {
    workspace: page.store,
    commands: new CommandRegistry(),
    trans: page.trans
  };
  return mountFolder(ui, makeSession(), FOLDER);
}

it('restarts the session with the volume that the user chooses', async () => {
  page.server.on('POST /sessions/s1/resize', { body: makeSession() });
  const done = mount(
    makeVolume(),
    makeVolume({ name: 'others', project: 'team-b' }),
    makeVolume({ name: 'closed', actions: [] }),
    makeVolume({ name: 'home', folder: '/home' })
  );
  const shown = await dialog();
  const choice = (await findByLabelText(shown, 'Volume')) as HTMLSelectElement;
  expect([...choice.options].map(({ value }) => value)).toEqual([
    'home',
    'scratch'
  ]);
  expect(shown.textContent).toContain('kernel memory is lost');
  fireEvent.change(choice, { target: { value: 'scratch' } });
  const path = getByLabelText(shown, 'Mount at') as HTMLInputElement;
  expect(path.placeholder).toBe('/mnt/scratch');
  button()?.click();
  await done;
  const sent = page.server.asked.find(({ path }) => path.endsWith('/resize'));
  expect(sent?.body).toEqual({ volumes: ['scratch:/mnt/scratch'] });
});

it('says what to do where no volume has the folder', async () => {
  const done = mount();
  const shown = await dialog();
  expect(shown.textContent).toContain(FOLDER);
  expect(shown.textContent).toContain('ask an administrator');
  button()?.click();
  await done;
});

it('is offered only where the kernel says that the folder is missing', () => {
  const info = (folder?: unknown) => ({ gpuquota: { folder } });
  expect(missingFolder(info({ path: FOLDER, found: false }))).toBe(FOLDER);
  expect(missingFolder(info({ path: FOLDER, found: true }))).toBe('');
  expect(missingFolder(info())).toBe('');
  expect(missingFolder(undefined)).toBe('');
});
