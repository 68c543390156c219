import React, { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Pages } from '../../state/datasets/pages';
import { ErrorNotice, Pending } from '../parts/controls';
import { isNear, useUi } from '../parts/ui';
import { drawnRows, nextIndex, show, useWindow } from '../parts/virtualwindow';

/** In pixels: browsers draw no list that is higher, so that what follows must be searched for. */
const HIGHEST = 16_000_000;

/** What a row of a paged list is given. */
export interface IPagedRow {
  readonly index: number;
  /** Whether it is the row that Tab reaches. */
  readonly active: boolean;
  readonly style: React.CSSProperties;
}

interface IProps<T> {
  label: string;
  pages: Pages<T>;
  rowHeight: number;
  empty: string;
  row: (item: T, row: IPagedRow) => JSX.Element;
  onKey: (item: T, event: React.KeyboardEvent) => void;
}

/** Draw those rows of a very long list that are to be seen, and have their pages read. */
export function PagedList<T>(props: IProps<T>): JSX.Element {
  const { pages, rowHeight } = props;
  const { trans } = useUi();
  const total = pages.total ?? 0;
  const count = Math.min(total, Math.floor(HIGHEST / rowHeight));
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const [wanted, setWanted] = useState<number | null>(null);
  const { first, last, page } = useWindow(box, count, rowHeight);
  const at = Math.min(active, Math.max(0, count - 1));
  useEffect(() => pages.want(first, last), [pages, first, last]);
  useEffect(() => setActive(0), [pages]);
  useLayoutEffect(() => {
    if (wanted !== null && !isNear(box.current)) {
      setWanted(null);
      return;
    }
    const row =
      wanted === null
        ? null
        : box.current?.querySelector(`[data-index="${wanted}"]`);
    if (row instanceof HTMLElement && wanted !== null) {
      row.focus({ preventScroll: true });
      // What stands there until its page has come is replaced by another element.
      if (pages.at(wanted) !== undefined) {
        setWanted(null);
      }
    }
  });
  const onKeyDown = (event: React.KeyboardEvent) => {
    const isRow = (event.target as HTMLElement).dataset.index !== undefined;
    const next = isRow ? nextIndex(event.key, at, count, page) : null;
    const item = pages.at(at);
    if (next !== null && count) {
      event.preventDefault();
      show(box.current, next, rowHeight);
      setActive(next);
      setWanted(next);
    } else if (isRow && item) {
      props.onKey(item, event);
    }
  };
  const isPending = pages.total === undefined && !pages.error;
  return (
    <>
      {pages.error ? <Failed pages={pages} /> : null}
      {isPending ? <Pending trans={trans} /> : null}
      {pages.total === 0 ? (
        <p className="jp-GpuQuota-quiet">{props.empty}</p>
      ) : null}
      <div
        ref={box}
        className="jp-GpuQuota-list"
        role="grid"
        aria-label={props.label}
        aria-rowcount={total}
        onKeyDown={onKeyDown}
        onFocus={event => {
          const row = (event.target as HTMLElement).closest<HTMLElement>(
            '[data-index]'
          );
          if (row) {
            setActive(Number(row.dataset.index));
          }
        }}
      >
        <div role="rowgroup" style={{ height: count * rowHeight }}>
          {drawnRows(first, last, count ? at : null).map(index => {
            const item = pages.at(index);
            const style = { top: index * rowHeight, height: rowHeight };
            return item === undefined ? (
              <div
                key={index}
                role="row"
                className="jp-GpuQuota-fileRow"
                data-index={index}
                style={style}
                tabIndex={index === at ? 0 : -1}
                aria-busy="true"
              />
            ) : (
              props.row(item, { index, active: index === at, style })
            );
          })}
        </div>
      </div>
      {count < total ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Showing the first %1 of %2. Search for the others.',
            count.toLocaleString(),
            total.toLocaleString()
          )}
        </p>
      ) : null}
    </>
  );
}

function Failed<T>({ pages }: { pages: Pages<T> }): JSX.Element | null {
  const { trans } = useUi();
  return pages.error ? (
    <ErrorNotice
      trans={trans}
      error={pages.error}
      onRetry={() => pages.retry()}
    />
  ) : null;
}
