import { waitFor } from '@testing-library/react';
import { foreign } from '../../api/errors';
import { PAGE, Pages } from '../datasets/pages';

const TOTAL = 600_000;

describe('a paged list', () => {
  let asked: string[];
  let pages: Pages<number>;
  let isBroken: boolean;

  beforeEach(() => {
    asked = [];
    isBroken = false;
    pages = new Pages(async ({ cursor, limit }) => {
      asked.push(cursor);
      if (isBroken) {
        throw foreign('Unreachable', 'gone', 0);
      }
      const start = Number(cursor || 0);
      const items = Array.from({ length: limit }, (_, at) => start + at);
      return { items, total: TOTAL };
    });
  });

  afterEach(() => pages.dispose());

  it('reads what is looked at, anywhere in the list', async () => {
    await waitFor(() => expect(pages.total).toBe(TOTAL));
    expect(pages.at(0)).toBe(0);
    pages.want(500_000, 500_040);
    expect(pages.at(500_000)).toBeUndefined();
    await waitFor(() => expect(pages.at(500_010)).toBe(500_010));
    expect(asked).toEqual(['', '500000']);
  });

  it('skips what was scrolled past meanwhile', async () => {
    await waitFor(() => expect(pages.total).toBe(TOTAL));
    for (let at = 0; at < 100_000; at += 1000) {
      pages.want(at, at + 40);
    }
    await waitFor(() => expect(pages.at(99_000)).toBe(99_000));
    expect(asked.length).toBeLessThan(5);
  });

  it('keeps a bounded number of pages', async () => {
    await waitFor(() => expect(pages.total).toBe(TOTAL));
    for (let page = 0; page < 80; page += 1) {
      pages.want(page * PAGE, page * PAGE + 1);
      await waitFor(() => expect(pages.at(page * PAGE)).toBe(page * PAGE));
    }
    expect(pages.at(0)).toBeUndefined();
    expect(pages.at(79 * PAGE)).toBe(79 * PAGE);
  });

  it('stops at an error until it is told to try again', async () => {
    await waitFor(() => expect(pages.total).toBe(TOTAL));
    isBroken = true;
    pages.want(1000, 1001);
    await waitFor(() => expect(pages.error?.code).toBe('Unreachable'));
    const count = asked.length;
    pages.want(2000, 2001);
    expect(asked).toHaveLength(count);
    isBroken = false;
    pages.retry();
    await waitFor(() => expect(pages.at(2000)).toBe(2000));
    expect(pages.error).toBeUndefined();
  });
});
