import { makeSession } from '../../__tests__/builders';
import { NoticeBoard } from '../notices/board';
import { INews } from '../notices/events';

describe('the notices that hold', () => {
  let board: NoticeBoard;

  beforeEach(() => {
    board = new NoticeBoard();
  });

  const news = (kind: INews['kind'], ...names: string[]): INews[] =>
    names.map(name => ({
      kind,
      session: makeSession({ id: name, spec: { name } })
    }));
  const note = (at: number, ...all: INews[][]) =>
    board
      .note(all.flat(), at)
      .map(({ kind, sessions }) =>
        [kind, ...sessions.map(({ id }) => id)].join(' ')
      );

  it('are one a session, replaced by the next', () => {
    expect(note(0, news('waiting', 'a', 'b'))).toEqual([
      'waiting a',
      'waiting b'
    ]);
    const [first] = board.note([], 0);
    expect(note(60_000, news('ready', 'a'))).toEqual(['waiting b', 'ready a']);
    expect(board.note([], 0).map(({ key }) => key)).toContain(first.key);
  });

  it('are one of all with the same news within seconds', () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    note(0, news('ready', ...names.slice(0, 2)));
    note(4000, news('ready', ...names.slice(2, 30)));
    expect(note(8000, news('ready', ...names.slice(30)))).toEqual([
      ['ready', ...names].join(' ')
    ]);
  });

  it('are apart for other news, and for what comes later', () => {
    note(0, news('ready', 'a', 'b', 'c'));
    expect(note(1000, news('failed', 'd'))).toEqual([
      'ready a b c',
      'failed d'
    ]);
    expect(note(6001, news('ready', 'e'))).toEqual([
      'ready a b c',
      'failed d',
      'ready e'
    ]);
  });

  it('name what they are true of, and go with the last of them', () => {
    note(0, news('ready', 'a', 'b', 'c'), news('failed', 'd'));
    const [{ key }] = board.note([], 0);
    expect(note(9000, news('over', 'a', 'd'))).toEqual(['ready b c']);
    expect(note(9000, news('over', 'b'))).toEqual(['ready c']);
    expect(board.note([], 9000).map(notice => notice.key)).toEqual([key]);
    expect(note(9000, news('over', 'c'))).toEqual([]);
    expect(note(9000, news('over', 'c', 'unknown'))).toEqual([]);
  });
});
