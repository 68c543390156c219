import { StateDB } from '@jupyterlab/statedb';
import { Widget } from '@lumino/widgets';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import {
  makeAbout,
  makePage,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { FITS } from '../../__tests__/previews';
import { makeTemplate } from '../../__tests__/templates';
import { makeLaunchWidget } from '../launch/widget';

describe('the view with the launch form', () => {
  let page: Page;
  let widget: Widget | undefined;

  beforeEach(() => {
    page = new Page();
    page.server.on('POST /sessions/preview', { body: FITS });
  });

  afterEach(() => {
    widget?.dispose();
    page.dispose();
  });

  const open = async (state: StateDB | null = null) => {
    const made = await makeLaunchWidget({ ui: page.ui, state, folder: '' });
    widget = made.widget;
    act(() => Widget.attach(made.widget, document.body));
    await screen.findByLabelText('Name');
    return made;
  };
  const value = (label: string) =>
    screen.getByLabelText<HTMLInputElement>(label).value;

  it('remembers the last choice, and counts the name on', async () => {
    const state = new StateDB();
    await open(state);
    fireEvent.click(screen.getByRole('radio', { name: 'CPU only' }));
    fireEvent.change(screen.getByLabelText('Command'), {
      target: { value: 'sleep 1000' }
    });
    const session = makeSession();
    page.server.on('POST /sessions', { body: session });
    page.server.on('GET /sessions', { body: makePage([session]) });
    fireEvent.click(screen.getByRole('button', { name: 'Launch' }));
    await waitFor(() => expect(widget?.isDisposed).toBe(true));

    await page.store.sessions.refresh();
    await open(state);
    expect(value('Name')).toBe('exp-2');
    const radio = screen.getByRole<HTMLInputElement>('radio', {
      name: 'CPU only'
    });
    expect(radio.checked).toBe(true);
    expect(value('Command')).toBe('');
  });

  it('is filled in as another session was launched, under a new name', async () => {
    const session = makeSession({ spec: { name: 'train-1' } });
    page.server.on('GET /sessions', { body: makePage([session]) });
    const { request } = makeTemplate();
    page.server.on(`GET /sessions/${session.id}/request`, {
      body: {
        ...request,
        kind: 'train',
        gpu: '0.25',
        command: ['sh', '-c', 'exit 3'],
        env: { EPOCHS: '3' }
      }
    });
    const { add } = await open();
    act(() =>
      add({
        gpu: '',
        session: session.id,
        data: '',
        project: '',
        volume: '',
        template: ''
      })
    );
    await waitFor(() => expect(value('Name')).toBe('train-2'));
    expect(value('Kind')).toBe('train');
    expect(value('Command')).toBe('sh -c "exit 3"');
    expect(value('Environment variables')).toBe('EPOCHS=3');
    const radio = screen.getByRole<HTMLInputElement>('radio', { name: '¼' });
    expect(radio.checked).toBe(true);
  });

  it('asks anew what would happen once others have taken GPUs', async () => {
    page.server.on('GET /about', { body: makeAbout() });
    await open();
    await screen.findByText(/Fits now/);
    const message = 'It would exceed the quota.';
    page.server.on('POST /sessions/preview', {
      body: { ...FITS, verdict: 'waits', message }
    });
    page.server.on('GET /quota', { body: makeQuota({ capacity: 8000 }) });
    await act(() => page.store.quota.refresh());
    await screen.findByText(/exceed the quota/);
  });
});
