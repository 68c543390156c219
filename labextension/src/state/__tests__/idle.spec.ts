import { makeIdle, makeSession } from '../../__tests__/builders';
import { Session } from '../../api/models';
import { isWarned, soonestWarned } from '../idle/idle';
import { IdleEvents } from '../idle/events';

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
  const look = (events: IdleEvents, ...sessions: Session[]) =>
    events.look(sessions, 'ana').map(({ kind, session }) => [kind, session.id]);

  it('are a warning at the first look, once, and anew when it says another time', () => {
    const events = new IdleEvents();
    const [first, later] = [warned(), warned('s1', 65)];
    expect(look(events, first)).toEqual([['warned', 's1']]);
    expect(look(events, first)).toEqual([]);
    expect(look(events, later)).toEqual([['warned', 's1']]);
  });

  it('are that a warning is over, whatever the reason', () => {
    const idle = makeIdle(20, 60);
    for (const after of [
      [makeSession()],
      [makeSession({ idle })],
      [makeSession({ state: 'stopping' })],
      []
    ]) {
      const events = new IdleEvents();
      look(events, warned());
      expect(look(events, ...after)).toEqual([['over', 's1']]);
      expect(look(events, ...after)).toEqual([]);
    }
  });

  it('are the end, unless it was before the first look', () => {
    const ended = makeSession({ state: 'suspended', reason: REASON });
    const events = new IdleEvents();
    expect(look(events, ended)).toEqual([]);
    look(events, warned());
    look(events, makeSession({ state: 'stopping', reason: REASON }));
    expect(look(events, ended)).toEqual([['ended', 's1']]);
    expect(look(events, ended)).toEqual([]);
  });

  it('are of one’s own sessions only', () => {
    const events = new IdleEvents();
    expect(look(events, { ...warned(), owner: 'li' })).toEqual([]);
  });
});
