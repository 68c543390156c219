import { fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeSession } from '../../__tests__/builders';
import { focus, Page } from '../../__tests__/page';
import { FITS } from '../../__tests__/previews';
import { Session } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { LaunchForm } from '../launch/launch';

describe('the line below the launch form', () => {
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

  const show = async () => {
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
      />
    );
    await screen.findByText(/bare/);
  };
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  const preview = (changes: object) =>
    page.server.on('POST /sessions/preview', { body: { ...FITS, ...changes } });

  it('says where it fits, and what holds the share', async () => {
    await show();
    const line = screen.getByRole('status');
    await waitFor(() => expect(line.textContent).toContain('dgx1-2 GPU 3'));
    expect(line.textContent).toContain('nothing is limited');
  });

  it('says that it would wait, and for what', async () => {
    preview({
      verdict: 'waits',
      message: 'Would wait: team-a is full.',
      reason: { code: 'OverQuota', message: '', hint: 'Request less.', raw: '' }
    });
    await show();
    expect(await screen.findByText('Would wait: team-a is full.')).toBeTruthy();
    expect(screen.getByText('Request less.')).toBeTruthy();
    expect(
      screen.getByRole('button', { name: 'Launch and queue' })
    ).toBeTruthy();
  });

  it('speaks of no queue where the session starts once others are preempted', async () => {
    preview({ verdict: 'reclaims', message: 'Starts within 1 min.' });
    await show();
    await screen.findByText('Starts within 1 min.');
    expect(screen.getByRole('button', { name: 'Launch' })).toBeTruthy();
  });

  it('offers the nearest share that would start now, by one click', async () => {
    const nearest = { milli: 250, memory: 0, compute: 0, mig: '' };
    preview({ verdict: 'waits', message: 'Would wait.', nearest });
    await show();
    const offer = await screen.findByRole('button', {
      name: 'Request ¼ GPU instead'
    });
    focus(offer);
    preview({});
    fireEvent.click(offer);
    expect(model.draft.preset).toBe('0.25');
    await screen.findByText(FITS.message);
    expect(screen.queryByRole('button', { name: /instead/ })).toBeNull();
    expect(document.activeElement?.textContent).toMatch(/^Launch/);
  });

  it('starts at once what may be preempted, by one click', async () => {
    const sent: unknown[] = [];
    page.server.on('POST /sessions', ({ body }) => {
      sent.push(body);
      return { status: 201, body: makeSession() };
    });
    preview({
      verdict: 'waits',
      message: 'Would wait.',
      nearest_kind: 'interactive-spot'
    });
    await show();
    fireEvent.click(
      await screen.findByRole('button', { name: 'Start now as spot' })
    );
    await waitFor(() => expect(launched).toHaveLength(1));
    expect(sent).toMatchObject([{ kind: 'interactive-spot' }]);
  });

  it('asks for the command of a training, and puts a line into a shell', async () => {
    const shell = "bash -c 'sleep 1 && ls'";
    preview({
      verdict: 'forbidden',
      problems: [
        {
          field: 'command',
          message: 'No shell runs the command.',
          hint: '',
          key: 'command.operator',
          args: { operator: '&&', shell }
        }
      ]
    });
    await show();
    type('Kind', 'train');
    expect(screen.getAllByLabelText('Command')).toHaveLength(1);
    type('Command', 'sleep 1 && ls');
    fireEvent.click(
      await screen.findByRole('button', { name: 'Run in a shell' })
    );
    expect(model.draft.command).toBe(shell);
    expect(document.activeElement).toBe(screen.getByLabelText('Command'));
  });

  it('says how much memory each share has', async () => {
    const device = (memory: number) => ({
      device: { memory, lost: false, mig: [] },
      slices: []
    });
    page.server.on('GET /nodes', {
      body: { nodes: [{ devices: [device(16384), device(40960)] }] }
    });
    page.store.nodes.watch();
    await show();
    const half = await screen.findByLabelText(/½/);
    await waitFor(() =>
      expect(
        document.getElementById(half.getAttribute('aria-describedby') ?? '')
          ?.textContent
      ).toBe('8 GiB–20 GiB')
    );
    expect(screen.getByLabelText('CPU only')).toBeTruthy();
  });

  it('offers what no rule forbids, by one click', async () => {
    preview({
      verdict: 'forbidden',
      message: 'Too much.',
      problems: [{ field: 'gpu', message: 'Too much.', hint: '' }],
      nearest: { milli: 1000, memory: 0, compute: 0, mig: '' }
    });
    await show();
    const offer = await screen.findByRole('button', {
      name: 'Request 1 GPU instead'
    });
    preview({});
    fireEvent.click(offer);
    expect(model.draft.preset).toBe('1');
    await screen.findByText(FITS.message);
  });
});
