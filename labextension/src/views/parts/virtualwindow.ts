import React, { useEffect, useState } from 'react';

/** Rows that are drawn beyond those to be seen, so that scrolling shows no gap. */
const SPARE = 6;

/** Return the rows to draw: those to be seen, and the one that Tab reaches. */
export function drawnRows(
  first: number,
  last: number,
  active: number | null
): number[] {
  const drawn = new Set<number>(active === null ? [] : [active]);
  for (let index = first; index < last; index += 1) {
    drawn.add(index);
  }
  return [...drawn].sort((a, b) => a - b);
}

/** Follow which rows are to be seen. */
export function useWindow(
  box: React.RefObject<HTMLDivElement>,
  count: number,
  rowHeight: number
): { first: number; last: number; page: number } {
  const [seen, setSeen] = useState({ first: 0, rows: 20 });
  useEffect(() => {
    const node = box.current;
    if (!node) {
      return;
    }
    const measure = () => {
      const top = Math.floor(node.scrollTop / rowHeight);
      // In steps, so that most of the scrolling redraws nothing.
      const first = Math.max(0, top - (top % SPARE) - SPARE);
      const rows = Math.ceil(node.clientHeight / rowHeight);
      setSeen(old =>
        old.first === first && old.rows === rows ? old : { first, rows }
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    node.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', measure);
    };
  }, [box, rowHeight]);
  const first = Math.min(seen.first, Math.max(0, count - seen.rows));
  return {
    first,
    last: Math.min(count, first + seen.rows + 3 * SPARE),
    page: Math.max(1, seen.rows - 1)
  };
}

/** Return which row a key leads to; null for a key that leads to none. */
export function nextIndex(
  key: string,
  at: number,
  count: number,
  page: number
): number | null {
  const moves: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1
  };
  return key in moves ? Math.min(count - 1, Math.max(0, moves[key])) : null;
}

/** Scroll just so far that a row is to be seen. */
export function show(
  box: HTMLDivElement | null,
  index: number,
  rowHeight: number
): void {
  if (!box) {
    return;
  }
  const top = index * rowHeight;
  const bottom = top + rowHeight - box.clientHeight;
  box.scrollTop = Math.min(top, Math.max(bottom, box.scrollTop));
}
