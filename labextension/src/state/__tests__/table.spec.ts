import { arrange, nextSort } from '../table';

interface IRow {
  name: string;
  gpus: number;
}

describe('a table', () => {
  const rows: IRow[] = [
    { name: 'exp-10', gpus: 500 },
    { name: 'exp-2', gpus: 2000 },
    { name: 'train', gpus: 500 }
  ];
  const columns = [
    {
      id: 'name',
      sortKey: (row: IRow) => row.name,
      text: (row: IRow) => row.name
    },
    {
      id: 'gpus',
      sortKey: (row: IRow) => row.gpus,
      text: (row: IRow) => `${row.gpus / 1000} GPU`
    }
  ];
  const names = (column: string, descending: boolean, filter = '') =>
    arrange(rows, columns, { column, descending }, filter).map(
      ({ name }) => name
    );

  it('sorts names as people count, and numbers as numbers', () => {
    expect(names('name', false)).toEqual(['exp-2', 'exp-10', 'train']);
    expect(names('gpus', true)).toEqual(['exp-2', 'exp-10', 'train']);
  });

  it('leaves ties, and rows of an unknown column, as they were', () => {
    expect(names('gpus', false)).toEqual(['exp-10', 'train', 'exp-2']);
    expect(names('colour', false)).toEqual(['exp-10', 'exp-2', 'train']);
  });

  it('keeps rows that hold every word, in whichever column', () => {
    expect(names('name', false, ' EXP 0.5')).toEqual(['exp-10']);
    expect(names('name', false, 'nothing')).toEqual([]);
  });

  it('turns round at the second click on a header', () => {
    const once = nextSort({ column: 'gpus', descending: true }, 'name');
    expect(once).toEqual({ column: 'name', descending: false });
    expect(nextSort(once, 'name').descending).toBe(true);
  });
});
