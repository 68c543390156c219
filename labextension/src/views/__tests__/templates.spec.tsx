import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeAbout, makeQuota, makeSession } from '../../__tests__/builders';
import { findDialog, Page, press } from '../../__tests__/page';
import { makeTemplate } from '../../__tests__/templates';
import { EMPTY, toRequest } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { fromTemplate } from '../../state/templates/draft';
import { LaunchForm } from '../launch/launch';

const FITS = {
  verdict: 'fits',
  message: 'Fits now.',
  reason: null,
  placement: null,
  isolation: makeSession().isolation,
  problems: []
};

describe('templates', () => {
  let page: Page;
  let model: LaunchModel;

  beforeEach(async () => {
    page = new Page();
    page.server.on('POST /sessions/preview', { body: FITS });
    page.server.on('GET /templates', { body: { items: [makeTemplate()] } });
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['templates'] })
    });
    model = new LaunchModel(page.store.actions, page.trans, { name: 'a' }, 1);
    await act(async () => {
      await page.store.about.refresh();
      await page.store.resource('templates').refresh();
    });
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const show = () =>
    page.show(
      <LaunchForm
        model={model}
        onLaunched={() => undefined}
        onCancel={() => undefined}
      />
    );

  it('fill in the form, which then asks for what they say', () => {
    show();
    const select = screen.getByLabelText('Template');
    fireEvent.change(select, { target: { value: 'own/small' } });
    expect(toRequest(model.draft, page.trans).request).toMatchObject({
      name: 'a',
      project: 'team-a',
      kind: 'train',
      command: ['sleep', '600 s'],
      env: { A: '1' },
      ports: [8000, 8001],
      priority: 60,
      data: ['faces@v1'],
      memory: '16Gi'
    });
    expect(model.draft.preset).toBe('none');
  });

  it.each([
    [{ gpu: '0.5' }, { gpu: '0.5' }],
    [{ gpu: 2 }, { gpu: '2' }],
    [
      { gpu: '0.3', gpu_compute: 30 },
      { gpu: '0.3', gpu_compute: '30' }
    ],
    [{ gpu_memory: '8Gi' }, { gpu_memory: '8Gi' }],
    [{ mig_profile: '1g.10gb' }, { mig_profile: '1g.10gb' }]
  ])('keep a share of %j', (share, wanted) => {
    const draft = fromTemplate(makeTemplate(share), EMPTY);
    expect(toRequest(draft, page.trans).request).toMatchObject(wanted);
  });

  it('keep how many processes a training has', () => {
    const draft = fromTemplate(
      makeTemplate({ processes: 4, framework: 'mpi' }),
      EMPTY
    );
    const { request } = toRequest(draft, page.trans);
    expect([request.processes, request.framework]).toEqual([4, 'mpi']);
    expect(fromTemplate(makeTemplate(), EMPTY).processes).toBe('');
  });

  it('keep that their sessions are stopped when idle', () => {
    const draft = fromTemplate(makeTemplate({ stop_when_idle: true }), EMPTY);
    expect(toRequest(draft, page.trans).request.stop_when_idle).toBe(true);
    expect(toRequest(EMPTY, page.trans).request).not.toHaveProperty(
      'stop_when_idle'
    );
  });

  it('are saved from the form, under a name', async () => {
    const sent: unknown[] = [];
    page.server.on('PUT /templates/own/mine', request => {
      sent.push(request.body);
      return { body: makeTemplate({}, 'mine') };
    });
    show();
    fireEvent.click(screen.getByRole('button', { name: 'Save as template…' }));
    const dialog = await findDialog();
    const input = await screen.findByLabelText<HTMLInputElement>('Name', {
      selector: 'dialog input'
    });
    expect(input.value).toBe('a');
    expect(screen.queryByLabelText('For')).toBeNull();
    act(() => model.set({ on: 'lab\ncloud', on_wait: '10m' }));
    fireEvent.change(input, { target: { value: 'mine' } });
    press(dialog, 'Save');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(JSON.stringify(sent)).toContain('"gpu"');
    expect(JSON.stringify(sent)).not.toMatch(/"(name|on|on_wait)"/);
    await waitFor(() =>
      expect(document.querySelector('.jp-Dialog')).toBeNull()
    );
  });

  it('keep what is said of them when they are replaced', async () => {
    const known = {
      ...makeTemplate({}, 'small'),
      title: 'Small one',
      description: 'For tests',
      on_shutdown: 'suspend'
    };
    page.server.on('GET /templates', { body: { items: [known] } });
    const sent: unknown[] = [];
    page.server.on('PUT /templates/own/small', request => {
      sent.push(request.body);
      return { body: known };
    });
    await act(() => page.store.resource('templates').refresh());
    show();
    fireEvent.change(screen.getByLabelText('Template'), {
      target: { value: 'own/small' }
    });
    fireEvent.click(screen.getByRole('button', { name: 'Save as template…' }));
    const dialog = await findDialog();
    press(dialog, 'Save');
    await waitFor(() => expect(dialog.textContent).toContain('Confirm, or'));
    expect(sent).toEqual([]);
    fireEvent.click(screen.getByLabelText('Replace the template small'));
    press(dialog, 'Save');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({
      title: 'Small one',
      description: 'For tests',
      on_shutdown: 'suspend'
    });
    await waitFor(() =>
      expect(document.querySelector('.jp-Dialog')).toBeNull()
    );
  });

  it('are saved for everybody by administrators', async () => {
    const sent: unknown[] = [];
    page.server.on('PUT /templates/admin/mine', request => {
      sent.push(request.body);
      return { body: { ...makeTemplate({}, 'mine'), scope: 'admin' } };
    });
    page.server.on('GET /quota', { body: makeQuota({ admin: true }) });
    await act(() => page.store.quota.refresh());
    show();
    act(() => model.set({ project: 'team-a' }));
    fireEvent.click(screen.getByRole('button', { name: 'Save as template…' }));
    const dialog = await findDialog();
    const input = dialog.querySelector('input') as HTMLInputElement;
    fireEvent.change(input, { target: { value: 'mine' } });
    const choice = screen.getByLabelText('For');
    expect(choice.textContent).toBe('MeEverybody in team-a');
    fireEvent.change(choice, { target: { value: 'admin' } });
    press(dialog, 'Save');
    await waitFor(() => expect(sent).toHaveLength(1));
    await waitFor(() => expect(model.draft.template).toBe('admin/mine'));
    await waitFor(() =>
      expect(document.querySelector('.jp-Dialog')).toBeNull()
    );
  });

  it('need a name', async () => {
    show();
    fireEvent.click(screen.getByRole('button', { name: 'Save as template…' }));
    const dialog = await findDialog();
    const input = dialog.querySelector('input') as HTMLInputElement;
    fireEvent.change(input, { target: { value: ' ' } });
    press(dialog, 'Save');
    await waitFor(() => expect(dialog.textContent).toContain('Enter a name.'));
    press(dialog, 'Cancel');
    await waitFor(() =>
      expect(document.querySelector('.jp-Dialog')).toBeNull()
    );
  });

  it('are deleted where they are chosen, by those who may', async () => {
    const admins = {
      ...makeTemplate({}, 'shared'),
      scope: 'admin',
      actions: []
    };
    const items = [makeTemplate(), admins];
    page.server.on('GET /templates', { body: { items } });
    page.server.on('DELETE /templates/own/small', () => {
      page.server.on('GET /templates', { body: { items: [admins] } });
      return { body: {} };
    });
    await act(() => page.store.resource('templates').refresh());
    show();
    const select = screen.getByLabelText('Template');
    const button = { name: 'Delete template…' };
    expect(screen.queryByRole('button', button)).toBeNull();
    fireEvent.change(select, { target: { value: 'admin/shared' } });
    expect(screen.queryByRole('button', button)).toBeNull();
    fireEvent.change(select, { target: { value: 'own/small' } });
    fireEvent.click(screen.getByRole('button', button));
    press(await findDialog(), 'Delete');
    await waitFor(() =>
      expect(screen.queryAllByText('A small one')).toHaveLength(1)
    );
    expect(page.server.count('DELETE /templates/own/small')).toBe(1);
    expect(model.draft.template).toBe('');
  });

  it('are not offered where the controller keeps none', async () => {
    page.server.on('GET /about', { body: makeAbout({ capabilities: [] }) });
    page.server.on('GET /templates', { body: { items: [] } });
    await act(async () => {
      await page.store.about.refresh();
      await page.store.resource('templates').refresh();
    });
    show();
    expect(screen.queryByLabelText('Template')).toBeNull();
    expect(screen.queryByText('Save as template…')).toBeNull();
  });
});
