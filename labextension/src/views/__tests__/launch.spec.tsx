import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeAbout, makePage, makeSession } from '../../__tests__/builders';
import { focus, Page } from '../../__tests__/page';
import { FITS } from '../../__tests__/previews';
import { Session } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import type { ChooseFolder } from '../launch/environment';
import { LaunchForm } from '../launch/launch';

describe('the launch form', () => {
  let page: Page;
  let model: LaunchModel;
  let launched: Session[];

  beforeEach(() => {
    page = new Page();
    launched = [];
    page.server.on('POST /sessions/preview', { body: FITS });
    page.server.on('GET /environments', {
      body: {
        environments: [
          {
            id: 'a',
            label: 'base',
            prefix: '/a',
            image: '',
            python: '3.11',
            default: true,
            problem: ''
          },
          {
            id: 'b',
            label: 'bare',
            prefix: '/b',
            image: '',
            python: '3.12',
            default: false,
            problem: 'no jupyter_server'
          }
        ]
      }
    });
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const show = async (choose?: ChooseFolder) => {
    page.store.environments.watch();
    model = new LaunchModel(
      page.store.actions,
      page.trans,
      { name: 'exp-1' },
      1
    );
    page.show(
      <LaunchForm
        model={model}
        onLaunched={session => launched.push(session)}
        onCancel={() => undefined}
        chooseFolder={choose}
      />
    );
    await screen.findByText(/bare/);
  };
  const launch = () =>
    fireEvent.click(screen.getByRole('button', { name: /^Launch/ }));
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  const preview = (changes: object) =>
    page.server.on('POST /sessions/preview', { body: { ...FITS, ...changes } });

  it('puts every problem beside its field, for screen readers, too', async () => {
    preview({
      verdict: 'forbidden',
      message: '2 invalid fields.',
      problems: [
        { field: 'name', message: 'Taken.', hint: 'Try exp-2.' },
        { field: 'folder', message: 'Not there.', hint: '' }
      ]
    });
    await show();
    await screen.findByText('Taken. Try exp-2.');
    const name = screen.getByLabelText('Name');
    expect(name.getAttribute('aria-invalid')).toBe('true');
    const described = name.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(described)?.textContent).toContain('Taken.');
    expect(screen.getByText('Not there.')).toBeTruthy();
  });

  it('asks for an idle timeout of its own, and says what the policy has against it', async () => {
    await show();
    const message = '3d is longer than the most that team-a’s policy allows.';
    page.server.on('POST /sessions/preview', ({ body }) => ({
      body: {
        ...FITS,
        problems: [
          { field: 'idle_timeout', message, hint: 'Take at most 1d.' }
        ].filter(() => (body as { idle_timeout: string }).idle_timeout === '3d')
      }
    }));
    type('Idle timeout', ' 3d');
    await screen.findByText(`${message} Take at most 1d.`);
    const field = screen.getByLabelText('Idle timeout');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    await waitFor(() => expect(field.closest('details')?.open).toBe(true));
    type('Idle timeout', '1d');
    await waitFor(() => expect(screen.queryByText(/3d is longer/)).toBeNull());
  });

  it('shows a problem of a hidden field by opening what hides it', async () => {
    await show();
    const details = screen.getByText('Advanced').closest('details');
    expect(details?.open).toBe(false);
    preview({
      verdict: 'forbidden',
      problems: [
        { field: 'ports[0]', message: 'Port 1 is reserved.', hint: '' }
      ]
    });
    act(() => model.ask());
    await screen.findByText('Port 1 is reserved.');
    await waitFor(() => expect(details?.open).toBe(true));
  });

  it('shows what is wrong with a preset where there is no field for it', async () => {
    preview({
      verdict: 'forbidden',
      problems: [{ field: 'gpu', message: 'More than the quota.', hint: '' }]
    });
    await show();
    expect((await screen.findAllByText(/More than the quota/)).length).toBe(2);
  });

  it('asks for an exact share where the user wants one', async () => {
    await show();
    expect(screen.queryByLabelText('GPUs')).toBeNull();
    fireEvent.click(screen.getByRole('radio', { name: 'Custom…' }));
    type('GPUs', '0.3');
    type('Compute', '30');
    await waitFor(() =>
      expect(page.server.asked.at(-1)?.body).toMatchObject({
        gpu: '0.3',
        gpu_compute: '30'
      })
    );
  });

  it('cannot choose an environment that runs no Jupyter Server', async () => {
    await show();
    const bare = screen.getByRole('option', { name: /bare/ });
    expect(bare).toHaveProperty('disabled', true);
    expect(bare.textContent).toContain('no jupyter_server');
    type('Command', 'python x.py');
    expect(bare).toHaveProperty('disabled', false);
  });

  it('launches', async () => {
    page.server.on('POST /sessions', { status: 201, body: makeSession() });
    await show();
    launch();
    await waitFor(() => expect(launched.map(({ id }) => id)).toEqual(['s1']));
  });

  it('stays and says why when that fails', async () => {
    page.server.on('POST /sessions', {
      status: 507,
      body: {
        code: 'StorageFailed',
        message: 'The disk is full.',
        hint: 'Make room.',
        fields: []
      }
    });
    await show();
    launch();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The disk is full.');
    expect(alert.textContent).toContain('Make room.');
    expect(launched).toEqual([]);
  });

  it('does not call a launch failed that was perhaps made, and goes once it is found', async () => {
    page.server.on('POST /sessions', {
      status: 503,
      body: { code: 'OutcomeUnknown', message: 'No response within 60 s.' }
    });
    await show();
    launch();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('It is not known');
    expect(alert.textContent).not.toContain('not launched');
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    await act(() => page.store.sessions.refresh());
    await waitFor(() => expect(launched.map(({ id }) => id)).toEqual(['s1']));
  });

  it('has options of containers only where sessions are containers', async () => {
    await show();
    expect(screen.queryByText('Container')).toBeNull();
    page.server.on('GET /about', { body: makeAbout({ containers: true }) });
    preview({
      verdict: 'forbidden',
      message: '2 invalid fields',
      problems: [
        { field: 'memory', message: 'Not an amount.', hint: '' },
        { field: 'volumes[1]', message: 'Not a volume.', hint: '' }
      ]
    });
    await act(() => page.store.about.refresh());
    expect(screen.getAllByLabelText('Image')).toHaveLength(1);
    const details = screen.getByText('Container').closest('details');
    type('Memory', 'much');
    await waitFor(() => expect(details?.open).toBe(true));
    expect(
      screen.getByLabelText('Memory').closest('div')?.textContent
    ).toContain('Not an amount.');
    expect(
      screen.getByLabelText('Volumes').closest('div')?.textContent
    ).toContain('Not a volume.');
  });

  it('takes over a folder that is chosen, and nothing if none is', async () => {
    const answers = ['data/inner', null];
    const asked: string[] = [];
    await show(from => {
      asked.push(from);
      return Promise.resolve(answers.shift() ?? null);
    });
    const browse = () =>
      act(async () => {
        fireEvent.click(screen.getByRole('button', { name: 'Browse…' }));
        await Promise.resolve();
      });
    type('Folder', 'data');
    await browse();
    await waitFor(() => expect(model.draft.folder).toBe('data/inner'));
    await browse();
    expect(asked).toEqual(['data', 'data/inner']);
    expect(model.draft.folder).toBe('data/inner');
  });

  const TAKEN = {
    status: 409,
    body: {
      code: 'NameTaken',
      message: 'Taken.',
      hint: '',
      fields: [{ field: 'name', message: 'Taken.', hint: '' }]
    }
  };

  it('leaves the focus where the user has gone until it is refused', async () => {
    const { body } = document;
    const field = body.appendChild(document.createElement('input'));
    page.server.on('POST /sessions', () => {
      field.focus();
      return TAKEN;
    });
    await show();
    launch();
    await waitFor(() =>
      expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe(
        'true'
      )
    );
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it('goes to the first field that is to blame', async () => {
    page.server.on('POST /sessions', TAKEN);
    await show();
    focus(screen.getByLabelText('Folder'));
    launch();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByLabelText('Name'))
    );
  });
});
