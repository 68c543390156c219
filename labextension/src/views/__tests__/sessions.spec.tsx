import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import {
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { focus, Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { SessionsView } from '../panel/sessions';

const WAITING = makeSession({
  id: 's2',
  owner: 'li',
  state: 'waiting',
  placement: null,
  isolation: null,
  spec: { name: 'big-train', project: 'team-d' },
  reason: {
    code: 'OverQuota',
    message: 'team-d is using its quota.',
    hint: 'It starts when 1 GPU is free.',
    raw: ''
  }
});
const FAILED = makeSession({
  id: 's3',
  state: 'failed',
  placement: null,
  isolation: null,
  spec: { name: 'broken' }
});

describe('the list of sessions', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(600);
  });

  afterEach(() => {
    page.dispose();
    jest.restoreAllMocks();
  });

  const show = async (...sessions: Session[]) => {
    page.server.on('GET /sessions', { body: makePage(sessions) });
    page.show(<SessionsView />);
    await screen.findAllByRole('row');
  };
  const names = () =>
    screen
      .queryAllByRole('row')
      .map(row => row.querySelector('.jp-GpuQuota-name')?.textContent);

  it('says of each its share, where it waits, and not again that GPUs are simulated', async () => {
    await show(makeSession(), WAITING);
    const running = screen.getByRole('row', { name: /^exp-1/ });
    expect(running.textContent).toContain('½ GPU · 16 GiB');
    expect(running.textContent).not.toContain('simulated');
    expect(running.textContent).not.toContain('not enforced');
    const waiting = screen.getByRole('row', { name: /^big-train/ });
    expect(waiting.textContent).toContain('Queued: quota used up');
    expect(waiting.textContent).toContain('team-d (li)');
  });

  it('names no project where one has all GPUs', async () => {
    const projects = [makeProject({ quota: 16000 })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    await page.store.quota.refresh();
    await show(makeSession());
    const row = screen.getByRole('row', { name: /^exp-1/ });
    expect(row.querySelector('.jp-GpuQuota-whose')?.textContent).toBe('');
  });

  it('warns of one that uses more than its share', async () => {
    const usage = {
      at: '2026-01-01T12:00:00Z',
      memory: 20000,
      over: true,
      peak: 20000,
      since: null
    };
    await show(makeSession({ usage }));
    expect(screen.getByText('over its share').title).toContain('20 GiB');
  });

  it('is filtered by words, and to mine', async () => {
    await show(makeSession(), WAITING);
    fireEvent.change(screen.getByRole('searchbox'), {
      target: { value: 'team-d' }
    });
    expect(names()).toEqual(['big-train']);
    fireEvent.click(screen.getByRole('button', { name: 'Mine' }));
    expect(names()).toEqual([]);
    expect(screen.getByText('No matching sessions.')).toBeTruthy();
  });

  it('leaves out what has ended if the user wants that', async () => {
    await show(makeSession(), FAILED);
    await act(() => page.store.preferences.set('showEnded', false));
    expect(names()).toEqual(['exp-1']);
  });

  it('hides what is deleted, until that is undone', async () => {
    await show(makeSession(), FAILED);
    act(() => void page.store.removals.remove('s3'));
    expect(names()).toEqual(['exp-1']);
    await act(async () => page.store.removals.undo('s3'));
    expect(names()).toEqual(['exp-1', 'broken']);
  });

  it('opens by Enter what runs, and describes what does not', async () => {
    await show(makeSession(), FAILED);
    const [first, second] = screen.getAllByRole('row');
    fireEvent.keyDown(first, { key: 'Enter' });
    focus(second);
    fireEvent.keyDown(second, { key: 'Enter' });
    fireEvent.keyDown(second, { key: 'Delete' });
    expect(page.executed).toEqual([
      [CommandIDs.open, 's1'],
      [CommandIDs.details, 's3'],
      [CommandIDs.remove, 's3']
    ]);
  });

  it('resumes in one click what was put aside, and nothing else', async () => {
    await show(makeSession({ state: 'suspended' }), WAITING, FAILED);
    const buttons = screen.getAllByRole('button', { name: /^Resume/ });
    expect(buttons).toHaveLength(1);
    fireEvent.click(buttons[0]);
    expect(page.executed).toEqual([[CommandIDs.resume, 's1']]);
  });

  it('goes to a session that was launched, once it is there', async () => {
    await show(makeSession());
    fireEvent.change(screen.getByRole('searchbox'), {
      target: { value: 'exp' }
    });
    act(() => page.store.reveal('s2'));
    page.server.on('GET /sessions', {
      body: makePage([makeSession(), WAITING])
    });
    await act(() => page.store.sessions.refresh());
    const row = screen.getByRole('row', { name: /^big-train/ });
    await waitFor(() => expect(document.activeElement).toBe(row));
  });

  it('says to screen readers what becomes of my sessions', async () => {
    await show(makeSession({ state: 'starting' }));
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    await act(() => page.store.sessions.refresh());
    const said = document.querySelector('[aria-live="polite"]');
    expect(said?.textContent).toBe('exp-1: Running');
  });

  it('offers to launch where there is nothing', async () => {
    page.show(<SessionsView />);
    fireEvent.click(
      await screen.findByRole('button', { name: 'Launch a session' })
    );
    expect(page.executed).toEqual([[CommandIDs.launch, null]]);
  });

  it('draws few of a thousand', async () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      makeSession({ id: `id-${index}`, spec: { name: `exp-${index}` } })
    );
    await show(...many);
    expect(names().length).toBeLessThan(60);
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('1000');
  });
});
