import React, { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isNear } from './ui';
import { drawnRows, nextIndex, show, useWindow } from './virtualwindow';

/** What a row of a virtual list is given. */
export interface IRowProps {
  id: string;
  /** Whether it is the row that Tab reaches. */
  active: boolean;
  index: number;
  /** In pixels. Plain numbers: a row that stays where it is need not be drawn again. */
  top: number;
  height: number;
}

interface IProps<T> {
  label: string;
  /** What its rows are part of; the rows of a tree say their level themselves. */
  role?: 'grid' | 'treegrid';
  items: readonly T[];
  idOf: (item: T) => string;
  /** In pixels; all rows are of one height, which is what makes the list quick. */
  rowHeight: number;
  row: (item: T, props: IRowProps) => JSX.Element;
  /** A row to go to, focus unless the user has gone elsewhere, and what to do once that is done. */
  target: string | null;
  onTarget: () => void;
  onKey: (item: T, event: React.KeyboardEvent) => void;
}

/**
 * Draw only those rows of a long list that are to be seen.
 *
 * One row can be reached by Tab; arrows, Home, End and Page keys move on from it.
 */
export function VirtualList<T>(props: IProps<T>): JSX.Element {
  const { items, idOf, rowHeight } = props;
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const { first, last, page } = useWindow(box, items.length, rowHeight);
  const found = items.findIndex(item => idOf(item) === active);
  const at = Math.max(0, found);

  const reach = (index: number) => {
    show(box.current, index, rowHeight);
    setActive(idOf(items[index]));
  };
  const focus = (index: number) => {
    reach(index);
    setWanted(idOf(items[index]));
  };

  useLayoutEffect(() => {
    // Only once the row is drawn can it have the focus.
    const row = wanted && box.current?.querySelector(rowSelector(wanted));
    if (row instanceof HTMLElement) {
      row.focus({ preventScroll: true });
      setWanted(null);
    }
  }, [wanted, items]);

  const { target, onTarget } = props;
  const asker = useRef<Element | null>(null);
  useEffect(() => {
    asker.current = document.activeElement;
  }, [target]);
  useEffect(() => {
    const index = items.findIndex(item => idOf(item) === target);
    if (index >= 0) {
      const isHere =
        document.activeElement === asker.current || isNear(box.current);
      (isHere ? focus : reach)(index);
      onTarget();
    }
  }, [target, items]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const isRow = (event.target as HTMLElement).dataset.row !== undefined;
    const next = isRow ? nextIndex(event.key, at, items.length, page) : null;
    if (next !== null && items.length) {
      event.preventDefault();
      focus(next);
    } else if (isRow && items[at]) {
      props.onKey(items[at], event);
    }
  };

  const drawn = drawnRows(first, last, items.length ? at : null);
  const height = items.length * rowHeight;
  return (
    <div
      ref={box}
      className="jp-GpuQuota-list"
      style={{ ['--jp-gpuquota-rows' as string]: `${height}px` }}
      role={props.role ?? 'grid'}
      aria-label={props.label}
      aria-rowcount={items.length}
      onKeyDown={onKeyDown}
      onFocus={event => {
        const row = (event.target as HTMLElement).closest<HTMLElement>(
          '[data-row]'
        );
        if (row?.dataset.row) {
          setActive(row.dataset.row);
        }
      }}
    >
      <div role="rowgroup" style={{ height }}>
        {drawn.map(index =>
          props.row(items[index], {
            id: idOf(items[index]),
            active: index === at,
            index,
            top: index * rowHeight,
            height: rowHeight
          })
        )}
      </div>
    </div>
  );
}

function rowSelector(id: string): string {
  return `[data-row="${CSS.escape(id)}"]`;
}
