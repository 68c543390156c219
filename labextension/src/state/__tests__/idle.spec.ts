import { makeIdle, makeSession } from '../../__tests__/builders';
import { Session } from '../../api/models';
import { isWarned, sessionOf, soonestWarned } from '../idle';
import { IdleWatchman } from '../idlenews';

const WARNED = { warned: '2026-01-01T12:00:00Z' };
const warned = (id = 's1', left = 5) =>
  makeSession({ id, idle: makeIdle(20, left, WARNED) });
const REASON = {
  code: 'IdleTimeout',
  message: 'It was suspended.',
  hint: '',
  raw: ''
} as const;

describe('a session', () => {
  it('is the own of a JupyterLab below its ingress, and of no other', () => {
    expect(sessionOf('http://hub.test/user/ana/gpuquota/s/ab12/')).toBe('ab12');
    expect(sessionOf('http://hub.test/user/ana/')).toBe('');
  });

  it('is not warned by a mere notice, nor once it has stopped', () => {
    expect(isWarned(warned())).toBe(true);
    const idle = makeIdle(20, 0, { ...WARNED, action: 'notify' });
    expect(isWarned(makeSession({ idle }))).toBe(false);
    expect(isWarned({ ...warned(), state: 'stopping' })).toBe(false);
    expect(isWarned(makeSession({ idle: makeIdle(20, 5) }))).toBe(false);
  });

  it('that ends first is named, but the own one before', () => {
    const all = [warned('a', 9), warned('b', 4), warned('c', 6)];
    expect(soonestWarned(all, 'ana', '')?.id).toBe('b');
    expect(soonestWarned(all, 'ana', 'a')?.id).toBe('a');
    expect(soonestWarned(all, 'li', '')).toBeUndefined();
  });
});

describe('news of idle sessions', () => {
  const look = (watchman: IdleWatchman, ...sessions: Session[]) =>
    watchman
      .look(sessions, 'ana')
      .map(({ kind, session }) => [kind, session.id]);

  it('are a warning at the first look, once, and anew when it says another time', () => {
    const watchman = new IdleWatchman();
    const [first, later] = [warned(), warned('s1', 65)];
    expect(look(watchman, first)).toEqual([['warned', 's1']]);
    expect(look(watchman, first)).toEqual([]);
    expect(look(watchman, later)).toEqual([['warned', 's1']]);
  });

  it('are that a warning is over, whatever the reason', () => {
    const idle = makeIdle(20, 60);
    for (const after of [
      [makeSession()],
      [makeSession({ idle })],
      [makeSession({ state: 'stopping' })],
      []
    ]) {
      const watchman = new IdleWatchman();
      look(watchman, warned());
      expect(look(watchman, ...after)).toEqual([['over', 's1']]);
      expect(look(watchman, ...after)).toEqual([]);
    }
  });

  it('are the end, unless it was before the first look', () => {
    const ended = makeSession({ state: 'suspended', reason: REASON });
    const watchman = new IdleWatchman();
    expect(look(watchman, ended)).toEqual([]);
    look(watchman, warned());
    look(watchman, makeSession({ state: 'stopping', reason: REASON }));
    expect(look(watchman, ended)).toEqual([['ended', 's1']]);
    expect(look(watchman, ended)).toEqual([]);
  });

  it('are of one’s own sessions only', () => {
    const watchman = new IdleWatchman();
    expect(look(watchman, { ...warned(), owner: 'li' })).toEqual([]);
  });
});
