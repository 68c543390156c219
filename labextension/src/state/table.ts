/** What a column sorts by. */
export type SortKey = string | number;

/** A column as order and filter need it. */
export interface IColumn<T> {
  readonly id: string;
  readonly sortKey: (row: T) => SortKey;
  /** What is read on the screen, and what a filter looks at. */
  readonly text: (row: T) => string;
}

export interface ISort {
  readonly column: string;
  readonly descending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Keep the rows that hold every word of a filter, in order; ties stay as they were. */
export function arrange<T>(
  rows: readonly T[],
  columns: readonly IColumn<T>[],
  sort: ISort,
  filter: string
): T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = words.length
    ? rows.filter(row => {
        const text = columns.map(column => column.text(row)).join('\n');
        const lower = text.toLowerCase();
        return words.every(word => lower.includes(word));
      })
    : [...rows];
  const column = columns.find(({ id }) => id === sort.column);
  if (!column) {
    return kept;
  }
  const sign = sort.descending ? -1 : 1;
  return kept
    .map(row => ({ row, key: column.sortKey(row) }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .map(({ row }) => row);
}

/** Return the order after a click on a column's header; a second click reverses it. */
export function nextSort(sort: ISort, column: string): ISort {
  return {
    column,
    descending: sort.column === column ? !sort.descending : false
  };
}

function compare(one: SortKey, other: SortKey): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : collator.compare(String(one), String(other));
}
