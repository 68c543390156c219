import { Dialog, Notification } from '@jupyterlab/apputils';
import { waitFor } from '@testing-library/react';
import { makeDataset, makeJob } from '../../__tests__/datasets';
import { findDialog, Page } from '../../__tests__/page';
import { syncFolder } from '../datasets/syncfolder';

describe('making a version of a folder', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /datasets', {
      body: { items: [makeDataset()], problems: [] }
    });
    page.server.on('POST /datasets', { body: makeDataset({ name: 'cats' }) });
    page.server.on('POST /jobs', { body: { id: 'j1' }, status: 202 });
    page.server.on('GET /jobs', { body: { items: [] } });
  });

  afterEach(() => {
    Dialog.flush();
    Notification.dismiss();
    page.dispose();
  });

  const fields = async () => {
    await findDialog();
    await waitFor(() => {
      expect(document.querySelector('.jp-Dialog input')).toBeTruthy();
      expect(
        document.querySelector('.jp-Dialog-header')?.textContent
      ).toBeTruthy();
    });
    return [...document.querySelectorAll<HTMLInputElement>('.jp-Dialog input')];
  };
  const sent = (route: string) =>
    page.server.asked.filter(
      ({ method, path }) => `${method} ${path}` === route
    );
  const press = (button: string) =>
    document
      .querySelector<HTMLButtonElement>(`.jp-Dialog .jp-mod-${button}`)
      ?.click();

  it('starts a job where the folder is, and follows it to its end', async () => {
    const done = syncFolder(page.ui, 'data/train');
    const [dataset, message, tag] = await fields();
    expect(document.querySelector('.jp-Dialog')?.textContent).toContain(
      'Make a version of data/train'
    );
    expect(dataset.list?.options[0].value).toBe('faces');
    dataset.value = 'faces';
    message.value = ' more faces ';
    tag.value = 'v2';
    press('accept');
    await done;
    const [asked] = sent('POST /jobs');
    expect(asked.body).toEqual({
      kind: 'sync',
      folder: 'data/train',
      dataset: 'faces',
      message: 'more faces',
      tag: 'v2'
    });
    expect(sent('POST /datasets')).toEqual([]);
    const notice = () => Notification.manager.notifications[0];
    expect(notice().type).toBe('in-progress');
    const job = { kind: 'sync' as const, version: '' };
    page.server.on('GET /jobs', { body: { items: [makeJob(job)] } });
    await page.store.resource('jobs').refresh();
    expect(notice().message).toMatch(/^Syncing faces: 43\s?%/);
    const ended = makeJob({ ...job, state: 'done' });
    page.server.on('GET /jobs', { body: { items: [ended] } });
    await page.store.resource('jobs').refresh();
    expect(notice().type).toBe('success');
  });

  it('says what a job has found that is done', async () => {
    const done = syncFolder(page.ui, 'data');
    const [dataset] = await fields();
    dataset.value = 'faces';
    press('accept');
    await done;
    const reason = 'Its files were not read.';
    const ended = makeJob({ kind: 'verify', state: 'done', reason });
    page.server.on('GET /jobs', { body: { items: [ended] } });
    await page.store.resource('jobs').refresh();
    const [notice] = Notification.manager.notifications;
    expect(notice.message).toContain(reason);
  });

  it('creates a dataset that does not exist', async () => {
    const done = syncFolder(page.ui, 'pictures');
    const [dataset] = await fields();
    dataset.value = 'cats';
    press('accept');
    await done;
    const [asked] = sent('POST /datasets');
    expect(asked.body).toEqual({ name: 'cats' });
  });

  it('says why a job has failed', async () => {
    const done = syncFolder(page.ui, 'data');
    const [dataset] = await fields();
    dataset.value = 'faces';
    press('accept');
    await done;
    const problem = {
      code: 'Conflict',
      message: 'a.txt changes while it is read.',
      hint: 'Stop what writes it.',
      fields: []
    };
    const failed = makeJob({ kind: 'sync', state: 'failed', problem });
    page.server.on('GET /jobs', { body: { items: [failed] } });
    await page.store.resource('jobs').refresh();
    const [notice] = Notification.manager.notifications;
    expect(notice.type).toBe('error');
    expect(notice.message).toContain('a.txt changes while it is read.');
    expect(notice.message).toContain('Stop what writes it.');
  });

  it('does nothing without a dataset, or when it is cancelled', async () => {
    for (const button of ['accept', 'reject']) {
      const done = syncFolder(page.ui, 'data');
      await fields();
      press(button);
      await done;
    }
    expect(sent('POST /jobs')).toEqual([]);
  });
});
