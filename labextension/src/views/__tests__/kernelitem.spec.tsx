import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { KernelItem } from '../panel/kernelitem';

describe("the item in a notebook's toolbar", () => {
  let page: Page;
  let folder: string;

  beforeEach(() => {
    page = new Page();
    folder = '';
    page.show(
      <KernelItem
        place="team-a/exp-1"
        lacking={() => Promise.resolve(folder)}
      />
    );
  });

  afterEach(() => {
    page.dispose();
    document.querySelectorAll('.lm-Menu').forEach(node => node.remove());
  });

  const know = async (...sessions: Session[]) => {
    page.server.on('GET /sessions', { body: makePage(sessions) });
    await act(() => page.store.refresh());
  };
  const menu = () => document.querySelector('.lm-Menu');
  const item = () => screen.findByRole('button', { name: /Kernel in exp-1$/ });

  it('says only the share of a simulated GPU, marked as such', async () => {
    await know(makeSession());
    const shown = await item();
    expect(shown.textContent).toBe('½ GPUsimulated');
    expect(shown.getAttribute('aria-label')).toContain('simulated');
  });

  it('says what is used of the memory', async () => {
    const session = makeSession();
    const { placement, usage } = session;
    await know({
      ...session,
      placement: placement && { ...placement, simulated: false },
      usage: {
        at: '',
        over: false,
        peak: null,
        since: null,
        ...usage,
        memory: 6246
      }
    });
    expect((await item()).textContent).toBe('½ GPU · 6.1 GiB of 16 GiB');
  });

  it('says why it waits, and its place', async () => {
    await know(
      makeSession({
        state: 'waiting',
        placement: null,
        queue_position: 2,
        reason: {
          code: 'OverQuota',
          message: 'team-a is full.',
          hint: '',
          raw: ''
        }
      } as never)
    );
    const shown = await item();
    expect(shown.textContent).toBe('½ GPU · Queued (#2)');
    expect(shown.title).toContain('team-a is full.');
  });

  it('is not there for a session that is not known', async () => {
    await know(makeSession({ spec: { name: 'other' } } as never));
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('has a menu', async () => {
    await know(makeSession());
    const shown = await item();
    fireEvent.click(shown);
    await waitFor(() => expect(menu()).not.toBeNull());
    expect(menu()?.textContent).not.toContain(CommandIDs.mountFolder);
    expect(shown.getAttribute('aria-expanded')).toBe('true');
  });

  it('offers to mount a folder that the session does not have', async () => {
    await know(makeSession());
    folder = '/home/ana/work';
    fireEvent.click(await item());
    await waitFor(() =>
      expect(menu()?.textContent).toContain(CommandIDs.mountFolder)
    );
  });
});
