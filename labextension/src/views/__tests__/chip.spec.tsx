import { act, fireEvent, screen } from '@testing-library/react';
import React from 'react';
import {
  makePage,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { SessionChip } from '../sessionpage/chip';
import { SessionRow } from '../panel/sessionrow';
import { StatusItem } from '../panel/statuswidget';

describe("a session's own JupyterLab", () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    jest.replaceProperty(page.store, 'here', 's1');
  });

  afterEach(() => {
    page.dispose();
    document.querySelectorAll('.lm-Menu').forEach(node => node.remove());
    jest.restoreAllMocks();
  });

  const know = async (...sessions: Session[]) => {
    page.server.on('GET /sessions', { body: makePage(sessions) });
    await act(() => page.store.refresh());
  };
  const chip = () => screen.findByRole('button', { name: /^This session/ });

  it('has a chip with its name, what it has, and that this is simulated', async () => {
    page.show(<SessionChip />);
    await know(makeSession(), makeSession({ id: 's2' }));
    const shown = await chip();
    expect(shown.textContent).toBe('exp-1 · ½ GPU · 16 GiBsimulated');
    expect(shown.getAttribute('aria-label')).toBe(
      'This session: exp-1 · ½ GPU · 16 GiB, simulated, Running'
    );
    expect(shown.className).toContain('jp-mod-running');
  });

  it('says when the session no longer runs', async () => {
    page.show(<SessionChip />);
    await know(makeSession());
    page.server.on('GET /sessions', {
      status: 409,
      body: { code: 'WrongState', message: 'It is suspended.', hint: '' }
    });
    await act(() => page.store.sessions.refresh());
    const shown = await chip();
    expect(shown.getAttribute('aria-label')).toContain('Not running');
    expect(shown.className).toContain('jp-mod-stopped');
  });

  it('has a menu of what can be done, which gives the focus back', async () => {
    page.show(<SessionChip />);
    await know(makeSession());
    const shown = await chip();
    expect(shown.getAttribute('aria-haspopup')).toBe('menu');
    expect(shown.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(shown);
    expect(shown.getAttribute('aria-expanded')).toBe('true');
    const items = [...document.querySelectorAll('.lm-Menu-item')];
    expect(items.map(item => item.getAttribute('data-command'))).toEqual([
      CommandIDs.details,
      CommandIDs.suspend,
      CommandIDs.resumeHere,
      CommandIDs.back
    ]);
    act(() => {
      fireEvent.keyDown(document.querySelector('.lm-Menu')!, { keyCode: 27 });
    });
    expect(document.activeElement).toBe(shown);
    expect(shown.getAttribute('aria-expanded')).toBe('false');
  });

  it('says in the status bar what the session has, not what I hold', async () => {
    page.show(<StatusItem />);
    await know(makeSession());
    const item = await screen.findByRole('button');
    expect(item.textContent).toBe('½ GPU · 16 GiB (simulated)');
    expect(item.title).toMatch(/^This session: /);
  });

  it.each([
    [0, 'No GPU in use (simulated)'],
    [500, '½ GPU in use (simulated)'],
    [1000, '1 GPU in use (simulated)'],
    [9500, '9.5 GPUs in use (simulated)']
  ])('says elsewhere what I hold: %s', async (allocated, said) => {
    jest.replaceProperty(page.store, 'here', '');
    const users = [{ user: 'ana', allocated, waiting: 0 }];
    const projects = [makeProject({ users })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    page.show(<StatusItem />);
    expect((await screen.findByRole('button')).textContent).toBe(said);
  });

  it('marks its own row, and no other', async () => {
    const row = (id: string) => (
      <SessionRow
        id={id}
        session={makeSession({ id })}
        me="ana"
        now={0}
        onMenu={() => undefined}
        active={true}
        index={0}
        top={0}
        height={62}
      />
    );
    const { unmount } = page.show(row('s1'));
    expect(screen.getByText('this session')).toBeTruthy();
    expect(screen.getByRole('row').getAttribute('aria-label')).toMatch(
      /^exp-1, this session, ½ GPU, /
    );
    unmount();
    page.show(row('s2'));
    expect(screen.queryByText('this session')).toBeNull();
  });

  it('has no chip elsewhere', async () => {
    jest.replaceProperty(page.store, 'here', '');
    const { container } = page.show(<SessionChip />);
    await know(makeSession());
    expect(container.textContent).toBe('');
  });
});
