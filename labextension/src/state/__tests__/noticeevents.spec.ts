import { makeSession } from '../../__tests__/builders';
import { endedBy } from '../../__tests__/endings';
import { Session } from '../../api/models';
import { NoticeEvents } from '../notices/events';

const REASON = {
  code: 'OverQuota',
  message: 'Full.',
  hint: '',
  raw: ''
} as const;

describe('the events', () => {
  const NOW = Date.parse('2026-01-01T14:00:00Z');
  const look = (...looks: Partial<Session>[]) => {
    const events = new NoticeEvents();
    const news = looks.map(changes =>
      events.look([makeSession(changes)], 'ana', NOW).map(({ kind }) => kind)
    );
    return news.at(-1);
  };

  it('only learns at the first look', () => {
    expect(look({ state: 'failed' })).toEqual([]);
  });

  it('tells what is ready, once', () => {
    expect(look({ state: 'starting' }, {})).toEqual(['ready']);
    expect(look({ state: 'starting' }, {}, {})).toEqual([]);
  });

  it('tells what has failed, and what fails again after it was resumed', () => {
    expect(look({}, { state: 'failed' })).toEqual(['failed']);
    expect(
      look({ state: 'failed' }, { state: 'waiting' }, { state: 'failed' })
    ).toEqual(['failed']);
  });

  it('tells what has to wait once it is known why', () => {
    const first = { id: 'other' };
    expect(look(first, { state: 'waiting' })).toEqual([]);
    expect(look(first, { state: 'waiting', reason: REASON })).toEqual([
      'waiting'
    ]);
  });

  it('tells once what is reclaimed, not again that it waits, and each time anew', () => {
    const reclaimed = {
      at: '2026-01-01T14:02:00Z',
      session: 's9',
      name: 'd-2-gg',
      project: 'team-d',
      moved: false
    };
    const leaving = { state: 'stopping', reclaimed } as const;
    const waiting = { state: 'waiting', reason: REASON, reclaimed } as const;
    const again = { ...reclaimed, at: '2026-01-01T15:00:00Z' };
    expect(look({}, leaving)).toEqual(['reclaimed']);
    expect(look({}, waiting)).toEqual(['reclaimed']);
    expect(look({}, leaving, waiting)).toEqual([]);
    expect(look({}, waiting, { reclaimed })).toEqual(['ready']);
    expect(look({ reclaimed }, { reclaimed: again })).toEqual(['reclaimed']);
  });

  it('tells that an end is near, once in each run, even at the first look', () => {
    const ends = '2026-01-01T14:09:00Z';
    const later = { started: '2026-01-01T13:30:00Z', ends };
    expect(look({ ends })).toEqual(['ending']);
    expect(look({ ends }, { ends })).toEqual([]);
    expect(look({ ends }, { ends: '2026-01-01T14:08:00Z' })).toEqual([]);
    expect(look({ ends }, { ends: null }, later)).toEqual(['ending']);
    expect(look({ state: 'starting' }, { ends })).toEqual(['ready', 'ending']);
  });

  it('is silent on an end that is far, over or not to come', () => {
    const ends = '2026-01-01T14:09:00Z';
    expect(look({ ends: '2026-01-01T14:10:01Z' })).toEqual([]);
    expect(look({ ends: '2026-01-01T14:00:00Z' })).toEqual([]);
    expect(look({ ends, state: 'stopping' })).toEqual([]);
    expect(look({ ends, owner: 'li' })).toEqual([]);
  });

  it("is silent on others' sessions", () => {
    expect(look({ owner: 'li', state: 'starting' }, { owner: 'li' })).toEqual(
      []
    );
  });

  it('tells once what somebody else has ended, also a session that is queued', () => {
    const stopping = endedBy('root', { state: 'stopping' });
    expect(look({}, stopping)).toEqual(['ended']);
    expect(look({}, stopping, endedBy('root'))).toEqual([]);
    expect(look({ state: 'waiting' }, endedBy('root'))).toEqual(['ended']);
    expect(look(endedBy('root'))).toEqual([]);
    expect(look({}, endedBy('root'), { state: 'waiting' })).toEqual(['over']);
  });

  it('is silent on what the user has done', () => {
    expect(look({}, { state: 'stopped' })).toEqual([]);
    expect(look({}, { state: 'suspended' })).toEqual([]);
  });
});

describe('what was reported', () => {
  const NOW = Date.parse('2026-01-01T14:00:00Z');
  const look = (...looks: Partial<Session>[][]) => {
    const events = new NoticeEvents();
    const news = looks.map(all =>
      events.look(all.map(makeSession), 'ana', NOW).map(({ kind }) => kind)
    );
    return news.at(-1);
  };
  const reclaimed = {
    at: '2026-01-01T14:02:00Z',
    session: 's9',
    name: 'd-2-gg',
    project: 'team-d',
    moved: false
  };

  it('is withdrawn once the session has ended or is deleted, once', () => {
    const [starting, ended] = [
      { state: 'starting' },
      { state: 'stopped' }
    ] as const;
    expect(look([starting], [{}], [ended])).toEqual(['over']);
    expect(look([starting], [{}], [ended], [ended])).toEqual([]);
    expect(look([starting], [{}], [])).toEqual(['over']);
    expect(look([starting], [{}], [], [])).toEqual([]);
  });

  it('stands while it is true', () => {
    expect(look([{ state: 'starting' }], [{}], [{}])).toEqual([]);
    const stopping = { state: 'stopping', reclaimed } as const;
    expect(look([{}], [stopping], [stopping])).toEqual([]);
    expect(look([{}], [stopping], [{ state: 'suspended', reclaimed }])).toEqual(
      ['over']
    );
  });

  it('was nothing of what the first look has learned', () => {
    expect(look([{}], [{ state: 'stopped' }])).toEqual([]);
    expect(look([{}], [])).toEqual([]);
  });
});
