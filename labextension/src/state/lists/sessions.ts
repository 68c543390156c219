import { PageSession, Session } from '../../api/models';
import { call, IAnswer, NOT_MODIFIED, read, Settings } from '../../api/request';
import { routes } from '../../api/routes';
import { ISessions } from '../../tokens';

/** One page holds a thousand; a list longer than this is cut, and says so. */
const MOST_PAGES = 5;

type Answer = IAnswer<ISessions> | typeof NOT_MODIFIED;

/** Make the reader of the list: what has changed since the last time, or else all pages. */
export function sessionsReader(
  settings: Settings
): (etag: string, background: boolean) => Promise<Answer> {
  let known: readonly Session[] = [];

  async function all(
    first: IAnswer<PageSession>,
    background: boolean
  ): Promise<Answer> {
    const items = [...first.value.items];
    let page = first.value;
    for (let count = 1; page.next && count < MOST_PAGES; count += 1) {
      page = await call(settings, routes.sessionsList, {
        query: { cursor: page.next },
        background
      });
      items.push(...page.items);
    }
    return { value: { items, total: page.total }, etag: first.etag };
  }

  async function readList(etag: string, background: boolean): Promise<Answer> {
    const params = { etag, changes: true, background };
    const first = await read(settings, routes.sessionsList, params);
    if (first === NOT_MODIFIED || !first.value.since) {
      return first === NOT_MODIFIED ? first : all(first, background);
    }
    const items = withChanges(known, first.value);
    const { total } = first.value;
    // A list that was cut, or read while it changed, may have other sessions than the server's.
    return items.length === total
      ? { value: { items, total }, etag: first.etag }
      : readList('', background);
  }

  return async (etag, background) => {
    const answer = await readList(etag, background);
    if (answer !== NOT_MODIFIED) {
      known = answer.value.items;
    }
    return answer;
  };
}

/** Return a list with what has changed in it; what is new comes last. */
function withChanges(
  known: readonly Session[],
  { items, gone = [] }: PageSession
): Session[] {
  const merged = new Map(known.map(session => [session.id, session]));
  items.forEach(session => merged.set(session.id, session));
  gone.forEach(id => merged.delete(id));
  return [...merged.values()];
}
