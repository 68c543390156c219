import React, { useId, useMemo, useState } from 'react';
import { Cell } from '../../state/csv';
import { arrange, IColumn, ISort, nextSort } from '../../state/table';
import { CsvButton } from './download';
import { useUi } from './ui';

/** Rows on one page: so many that most machines need only one, so few that it stays quick. */
const PAGE = 50;

/** A column of a table that can be sorted, filtered and saved. */
export interface ITableColumn<T> extends IColumn<T> {
  readonly label: string;
  /** What is drawn instead of the text. */
  readonly cell?: (row: T) => React.ReactNode;
  /** What is saved instead of the text. */
  readonly csv?: (row: T) => Cell;
  /** What the saved column is called where that is another thing than what is drawn. */
  readonly csvLabel?: string;
  /** Numbers are read from the right. */
  readonly isNumber?: boolean;
}

interface IProps<T> {
  title: string;
  /** The name of the file that it is saved as, without its ending. */
  file: string;
  columns: readonly ITableColumn<T>[];
  rows: readonly T[];
  idOf: (row: T) => string;
  sort: ISort;
  /** What is said where there are no rows at all. */
  empty: string;
  /** What the rows come to, in a line above them. */
  summary?: string;
  /** What stands at the end of its head line. */
  actions?: React.ReactNode;
}

/** Return a column of texts, by which it is sorted, too. */
export function plainColumn<T>(
  id: string,
  label: string,
  text: (row: T) => string
): ITableColumn<T> {
  return { id, label, text, sortKey: text };
}

/** Show rows page by page, in the order and with the words that the user asks for. */
export function DataTable<T>(props: IProps<T>): JSX.Element {
  const { columns, rows, title } = props;
  const { trans } = useUi();
  const [sort, setSort] = useState(props.sort);
  const [filter, setFilter] = useState('');
  const [page, setPage] = useState(0);
  const heading = useId();
  const found = useMemo(
    () => arrange(rows, columns, sort, filter),
    [rows, columns, sort, filter]
  );
  const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
  const at = Math.min(page, last);
  const shown = found.slice(at * PAGE, (at + 1) * PAGE);
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>
          {title} <span className="jp-GpuQuota-quiet">{rows.length}</span>
        </h3>
        {rows.length ? (
          <>
            <input
              type="search"
              className="jp-GpuQuota-input"
              aria-label={trans.__('Filter: %1', title)}
              placeholder={trans.__('Filter')}
              value={filter}
              onChange={event => {
                setFilter(event.target.value);
                setPage(0);
              }}
            />
            <CsvButton
              title={title}
              file={props.file}
              header={columns.map(({ label, csvLabel }) => csvLabel ?? label)}
              rows={() =>
                found.map(row =>
                  columns.map(column => (column.csv ?? column.text)(row))
                )
              }
            />
          </>
        ) : null}
        {props.actions}
      </header>
      {props.summary ? <p>{props.summary}</p> : null}
      {shown.length ? (
        <div className="jp-GpuQuota-boardTable">
          <table className="jp-GpuQuota-table" aria-labelledby={heading}>
            <Head
              columns={columns}
              sort={sort}
              onSort={id => setSort(nextSort(sort, id))}
            />
            <tbody>
              {shown.map(row => (
                <Row key={props.idOf(row)} row={row} columns={columns} />
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="jp-GpuQuota-quiet">
          {rows.length ? trans.__('No matches.') : props.empty}
        </p>
      )}
      <Pager count={found.length} at={at} last={last} onPage={setPage} />
    </section>
  );
}

function Head<T>(props: {
  columns: readonly ITableColumn<T>[];
  sort: ISort;
  onSort: (id: string) => void;
}): JSX.Element {
  const { sort } = props;
  return (
    <thead>
      <tr>
        {props.columns.map(({ id, label, isNumber }) => {
          const isSorted = sort.column === id;
          return (
            <th
              key={id}
              scope="col"
              className={numberClass(isNumber)}
              aria-sort={
                isSorted
                  ? sort.descending
                    ? 'descending'
                    : 'ascending'
                  : undefined
              }
            >
              <button
                type="button"
                className="jp-GpuQuota-sortButton"
                onClick={() => props.onSort(id)}
              >
                {label}
                <span aria-hidden="true">
                  {isSorted ? (sort.descending ? '▼' : '▲') : ''}
                </span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function numberClass(isNumber = false): string | undefined {
  return isNumber ? 'jp-mod-number' : undefined;
}

function Row<T>(props: {
  row: T;
  columns: readonly ITableColumn<T>[];
}): JSX.Element {
  const { row, columns } = props;
  return (
    <tr>
      {columns.map((column, index) => {
        const content = (column.cell ?? column.text)(row);
        return index ? (
          <td key={column.id} className={numberClass(column.isNumber)}>
            {content}
          </td>
        ) : (
          <th key={column.id} scope="row">
            {content}
          </th>
        );
      })}
    </tr>
  );
}

function Pager(props: {
  count: number;
  at: number;
  last: number;
  onPage: (page: number) => void;
}): JSX.Element | null {
  const { trans } = useUi();
  const { count, at, last, onPage } = props;
  if (!last) {
    return null;
  }
  return (
    <div className="jp-GpuQuota-buttons">
      <button
        type="button"
        className="jp-GpuQuota-button"
        disabled={!at}
        onClick={() => onPage(at - 1)}
      >
        {trans.__('Previous')}
      </button>
      <span role="status">
        {trans.__(
          '%1 to %2 of %3',
          at * PAGE + 1,
          Math.min(count, (at + 1) * PAGE),
          count
        )}
      </span>
      <button
        type="button"
        className="jp-GpuQuota-button"
        disabled={at === last}
        onClick={() => onPage(at + 1)}
      >
        {trans.__('Next')}
      </button>
    </div>
  );
}
