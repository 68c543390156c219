import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import {
  makeAbout,
  makeIdle,
  makePage,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { SessionIdleness } from '../../state/idle/sessionidleness';
import { IdleLine, IdleSections } from '../details/idle';
import { SessionRow } from '../panel/sessionrow';
import { clockText } from '../parts/texts';
import { IdleItem } from '../panel/statuswidget';

const RULES = [
  {
    rule: 'idle_timeout',
    value: '2h',
    level: 'project:team-a',
    note: 'The session requested 3h, which idle_timeout_max does not allow.'
  },
  {
    rule: 'warn_before',
    value: '10m',
    level: 'built-in',
    note: ''
  }
];
const WARNED = { warned: '2026-01-01T12:00:00Z' };

describe('idle sessions', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing'] })
    });
  });

  afterEach(() => {
    jest.useRealTimers();
    page.dispose();
  });

  describe('in the list', () => {
    const show = (session: Session) =>
      page.show(
        <SessionRow
          id={session.id}
          session={session}
          me="ana"
          now={Date.now()}
          onMenu={() => undefined}
          active={true}
          index={0}
          top={0}
          height={62}
        />
      );
    const status = () => document.querySelector('.jp-GpuQuota-status')!;

    it('are named without alarm', () => {
      show(makeSession({ idle: makeIdle(22, 48) }));
      expect(status().textContent).toMatch(/^idle 22 min, suspends /);
      expect(status().className).not.toContain('warned');
      expect(screen.getByRole('row').getAttribute('aria-label')).toContain(
        "team-a's policy"
      );
    });

    it('count down with a mark once warned, by themselves', async () => {
      jest.useFakeTimers();
      const idle = makeIdle(22, 1.5, WARNED);
      show(makeSession({ idle }));
      expect(status().textContent).toBe('suspends in 90 s');
      expect(status().className).toContain('jp-mod-warned');
      await act(() => jest.advanceTimersByTimeAsync(5000));
      expect(status().textContent).toBe('suspends in 85 s');
      // A label that changes each second would be read out each second.
      expect(screen.getByRole('row').getAttribute('aria-label')).toContain(
        `will be suspended at ${clockText(idle.acts!)}`
      );
    });
  });

  describe('in the status bar', () => {
    const show = async (...sessions: Session[]) => {
      page.server.on('GET /sessions', { body: makePage(sessions) });
      page.show(<IdleItem />);
    };

    it('are kept alive by a click, once warned', async () => {
      await show(
        makeSession({ idle: makeIdle(22, 48) }),
        makeSession({
          id: 's2',
          spec: { name: 'exp-2' },
          idle: makeIdle(22, 8.5, WARNED)
        })
      );
      const item = await screen.findByRole('button', {
        name: /^exp-2 will be suspended at .* Keep it alive$/
      });
      expect(item.textContent).toBe('exp-2 suspends in 8 min');
      fireEvent.click(item);
      expect(page.executed).toEqual([[CommandIDs.keepAlive, 's2']]);
    });

    it('are not there before', async () => {
      await show(makeSession({ idle: makeIdle(22, 48) }));
      await page.store.refresh();
      expect(screen.queryByRole('button')).toBeNull();
    });
  });

  describe('in their details', () => {
    let model: SessionIdleness;

    afterEach(() => model.dispose());

    const show = async (session: Session, rules: object[] = RULES) => {
      page.server.on('GET /sessions', { body: makePage([session]) });
      page.server.on('GET /sessions/s1/activity', {
        body: {
          session: 's1',
          at: '2026-01-01T12:00:00Z',
          signals: [
            {
              name: 'kernels',
              state: 'idle',
              last: '2026-01-01T11:00:00Z',
              detail: '2 kernels, none busy'
            },
            {
              name: 'gpu',
              state: 'unknown',
              last: '2026-01-01T12:00:00Z',
              detail: 'the driver does not tell'
            },
            {
              name: 'terminals',
              state: 'busy',
              last: '2026-01-01T12:00:00Z',
              detail: ''
            }
          ],
          idle: null,
          looked: true
        }
      });
      page.server.on('GET /sessions/s1/policy', {
        body: {
          session: 's1',
          rules,
          exempt: {
            who: 'user:ana',
            until: '2026-02-01T12:00:00Z',
            reason: 'a paper'
          }
        }
      });
      await page.store.sessions.refresh();
      await page.store.about.refresh();
      model = new SessionIdleness(page.store, 's1');
      model.activity.watch();
      model.policy.watch();
      const { container } = page.show(
        <IdleSections session={session} idleness={model} />
      );
      await screen.findByText(/Exempt until/);
      return container.textContent;
    };

    it('are shown with every signal, every rule and who decided', async () => {
      const text = await show(makeSession());
      const since = clockText('2026-01-01T11:00:00Z');
      expect(text).toContain(
        `Kernelsidle since ${since} · 2 kernels, none busy`
      );
      expect(text).toContain('GPUunknown (treated as busy) · the driver');
      expect(text).toContain('Terminalsbusy');
      expect(text).toContain(
        "Idle timeout2h · team-a's policy · The session requested 3h, which"
      );
      expect(text).toContain('Warn before10m · the default policy');
      expect(text).toContain('a paper');
      const asked = page.server.asked.filter(({ path }) =>
        path.startsWith('/sessions/s1/')
      );
      expect(asked.map(({ query }) => query.get('no_track_activity'))).toEqual([
        '1',
        '1'
      ]);
    });

    it('say where nothing ends them, and list defaults only on request', async () => {
      const decided = (rule: string, value: string, level = 'built-in') => ({
        ...{ rule, value, level, note: '' }
      });
      const rules = [
        decided('idle_timeout', 'never'),
        decided('interactive_life', 'none'),
        decided('train_life', '1d', 'everyone'),
        decided('grace', '1m')
      ];
      const all = 'Idle timeoutnever';
      const text = await show(makeSession(), rules);
      expect(text).toContain('No idle timeout or maximum run time applies.');
      const fold = screen.getByText('All rules').closest('details')!;
      expect(fold.open).toBe(false);
      expect(fold.textContent).toContain(all);
      expect(text!.replace(fold.textContent!, '')).not.toContain(all);
      expect(text!.replace(fold.textContent!, '')).toContain('1d');
    });

    it('have no activity while they have no processes', async () => {
      const text = await show(makeSession({ state: 'suspended' }));
      expect(text).not.toContain('Activity');
      expect(page.server.count('GET /sessions/s1/activity')).toBe(0);
    });

    it('are looked at again when the list tells of them, and not while hidden', async () => {
      await show(makeSession());
      expect(page.server.count('GET /sessions/s1/activity')).toBe(1);
      const hidden = jest
        .spyOn(document, 'hidden', 'get')
        .mockReturnValue(true);
      page.server.on('GET /sessions', {
        body: makePage([makeSession({ idle: makeIdle(5, 60) })])
      });
      await page.store.sessions.refresh();
      await new Promise(done => setTimeout(done, 400));
      expect(page.server.count('GET /sessions/s1/activity')).toBe(1);
      hidden.mockReturnValue(false);
      document.dispatchEvent(new Event('visibilitychange'));
      await waitFor(() =>
        expect(page.server.count('GET /sessions/s1/activity')).toBe(2)
      );
      hidden.mockRestore();
    });

    it('are marked once warned', () => {
      model = new SessionIdleness(page.store, 's1');
      const idle = makeIdle(22, 8, WARNED);
      const { container } = page.show(
        <IdleLine
          session={makeSession({ idle })}
          idleness={model}
          now={Date.now()}
        />
      );
      expect(container.querySelector('.jp-GpuQuota-notice')).not.toBeNull();
      expect(container.textContent).toMatch(
        /^Idle 22 min: will be suspended at /
      );
    });
  });
});
