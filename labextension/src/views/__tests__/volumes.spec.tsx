import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import { makeAbout, makeQuota } from '../../__tests__/builders';
import { findDialog, focus, Page, press } from '../../__tests__/page';
import { makeClass, makeVolume, makeVolumes } from '../../__tests__/storage';
import { Volume } from '../../api/models';
import { VolumeActions } from '../../state/volumes/actions';
import { changeVolume, createVolume, deleteVolume } from '../volumes/forms';
import { VolumesView } from '../volumes/section';

const USE = {
  session: 's1',
  name: 'exp-1',
  project: 'team-a',
  owner: 'li',
  path: '/data',
  read_only: true,
  node: '',
  state: 'running'
};

let page: Page;

beforeEach(() => {
  page = new Page();
  jest.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  page.server.on('GET /about', {
    body: makeAbout({ capabilities: ['volumes'], local_files: false })
  });
  answer([makeVolume()]);
});

afterEach(() => {
  jest.restoreAllMocks();
  document
    .querySelectorAll('.lm-Menu, .jp-Dialog')
    .forEach(node => node.remove());
  page.dispose();
});

const answer = (items: Volume[]) =>
  page.server.on('GET /volumes', { body: makeVolumes(items) });
const sent = (method: string) =>
  page.server.asked.filter(asked => asked.method === method);

describe('the section on volumes', () => {
  const show = () => {
    page.store.resource('volumes').watch();
    page.show(<VolumesView />);
  };

  it('says how full a volume is, and who mounts it and how', async () => {
    answer([makeVolume({ uses: [USE], nodes: ['dgx1-1'] })]);
    show();
    const row = await screen.findByRole('row', { name: /^scratch/ });
    expect(row.getAttribute('aria-label')).toBe(
      'scratch, team-a, 1.1 GiB of 9.3 GiB, RWX, dgx1-1, Mounted by exp-1 (li) at /data, read-only'
    );
    focus(row);
    fireEvent.keyDown(row, { key: 'Enter' });
    const dialog = await findDialog();
    expect(await within(dialog).findByText(/many nodes/)).toBeTruthy();
    press(dialog, 'Close');
  });

  it('says why a volume cannot be used', async () => {
    const reason = {
      code: 'VolumePending',
      message: 'It waits for its first session.',
      hint: '',
      raw: ''
    };
    answer([makeVolume({ state: 'pending', reason } as Partial<Volume>)]);
    show();
    expect(
      await screen.findByText('It waits for its first session.')
    ).toBeTruthy();
  });

  it('shows only what the user may do', async () => {
    answer([makeVolume({ actions: [] })]);
    show();
    fireEvent.contextMenu(await screen.findByRole('row'));
    const labels = [...document.querySelectorAll('.lm-Menu-itemLabel')].map(
      node => node.textContent
    );
    expect(labels).toEqual(['Show Details']);
  });
});

describe('dialogs on volumes', () => {
  const actions = () => new VolumeActions(page.store);

  it('create one, and show at the field what is wrong', async () => {
    await page.store.quota.refresh();
    const size = { field: 'size', message: 'Not a size.', hint: '' };
    page.server.on('POST /volumes', {
      status: 422,
      body: { code: 'Invalid', message: 'No.', hint: '', fields: [size] }
    });
    const creating = createVolume(page.ui, actions(), [makeClass()]);
    const dialog = await findDialog();
    fireEvent.change(await within(dialog).findByLabelText('Name'), {
      target: { value: 'data' }
    });
    const input = within(dialog).getByLabelText('Size');
    fireEvent.change(input, { target: { value: 'lots' } });
    press(dialog, 'Create');
    expect(await within(dialog).findByText('Not a size.')).toBeTruthy();
    expect(input.getAttribute('aria-invalid')).toBe('true');
    page.server.on('POST /volumes', { status: 201, body: makeVolume() });
    fireEvent.change(input, { target: { value: '5Gi' } });
    press(dialog, 'Create');
    await creating;
    expect(sent('POST')[1].body).toMatchObject({
      name: 'data',
      project: 'team-a',
      storage_class: 'fast',
      size: '5Gi'
    });
  });

  it('send only what was changed', async () => {
    page.server.on('PATCH /volumes/team-a/scratch', { body: makeVolume() });
    const volume = makeVolume({ size: 10 * 1024 ** 3 });
    const changing = changeVolume(page.ui, actions(), [makeClass()], volume);
    const dialog = await findDialog();
    const input = await within(dialog).findByLabelText('Size');
    expect(input).toHaveProperty('value', '10Gi');
    fireEvent.change(input, { target: { value: '20Gi' } });
    press(dialog, 'Save');
    await changing;
    expect(sent('PATCH')[0].body).toEqual({ size: '20Gi' });
  });

  it('offer the classes of the cluster of the chosen project', async () => {
    page.server.on('GET /quota', {
      body: makeQuota({ mine: ['team-a', 'cloud/ml'] })
    });
    await page.store.quota.refresh();
    page.server.on('GET /volumes', ({ query }) => ({
      body: makeVolumes(
        [],
        [makeClass(query.get('project') ? { name: 'disk' } : {})]
      )
    }));
    const creating = createVolume(page.ui, actions(), [makeClass()]);
    const dialog = await findDialog();
    const kind = () => within(dialog).getByLabelText('Class');
    await waitFor(() => expect(kind()).toHaveProperty('value', 'fast'));
    fireEvent.change(within(dialog).getByLabelText('Project'), {
      target: { value: 'cloud/ml' }
    });
    await waitFor(() => expect(kind()).toHaveProperty('value', 'disk'));
    page.server.on('POST /volumes', { status: 201, body: makeVolume() });
    press(dialog, 'Create');
    await creating;
    expect(sent('POST')[0].body).toMatchObject({
      project: 'cloud/ml',
      storage_class: 'disk'
    });
  });

  it('reach a volume of another cluster', async () => {
    const volume = makeVolume({ project: 'cloud/ml' });
    page.server.on('DELETE /volumes/cloud~ml/scratch', { body: {} });
    const deleting = deleteVolume(page.ui, actions(), volume);
    press(await findDialog(), 'Delete');
    await deleting;
    page.server.on('PATCH /volumes/cloud~ml/scratch', { body: volume });
    const changing = changeVolume(page.ui, actions(), [], volume);
    const dialog = await findDialog();
    fireEvent.change(await within(dialog).findByLabelText('Description'), {
      target: { value: 'Scans' }
    });
    press(dialog, 'Save');
    await changing;
    expect(sent('PATCH')[0].body).toEqual({ description: 'Scans' });
  });

  it('say by whom a volume is mounted that cannot be deleted', async () => {
    page.server.on('DELETE /volumes/team-a/scratch', {
      status: 409,
      body: {
        code: 'InUse',
        message: 'scratch is mounted by exp-1 (li).',
        hint: 'Stop these first.',
        fields: []
      }
    });
    const deleting = deleteVolume(page.ui, actions(), makeVolume());
    const dialog = await findDialog();
    press(dialog, 'Delete');
    expect(
      await within(dialog).findByText('scratch is mounted by exp-1 (li).')
    ).toBeTruthy();
    press(dialog, 'Cancel');
    await deleting;
  });
});
