import { makeSession } from '../../__tests__/builders';
import { Session } from '../../api/models';
import { Watchman } from '../notices';

const REASON = {
  code: 'OverQuota',
  message: 'Full.',
  hint: '',
  raw: ''
} as const;

describe('the watchman', () => {
  const look = (...looks: Partial<Session>[]) => {
    const watchman = new Watchman();
    const news = looks.map(changes =>
      watchman.look([makeSession(changes)], 'ana').map(({ kind }) => kind)
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

  it("is silent on others' sessions", () => {
    expect(look({ owner: 'li', state: 'starting' }, { owner: 'li' })).toEqual(
      []
    );
  });

  it('is silent on what the user has done', () => {
    expect(look({}, { state: 'stopped' })).toEqual([]);
    expect(look({}, { state: 'suspended' })).toEqual([]);
  });
});
