import { toCsv } from '../csv';

describe('a CSV file', () => {
  const line = (...cells: Parameters<typeof toCsv>[1][number][]) =>
    toCsv(['a'], cells).split('\r\n').slice(1, -1);

  it('begins with the mark of UTF-8 and its header', () => {
    expect(toCsv(['a', 'b'], [[1, null]])).toBe('\ufeffa,b\r\n1,\r\n');
  });

  it('quotes what would end a cell', () => {
    expect(line(['x,y', 'say "no"', 'two\nlines'])).toEqual([
      '"x,y","say ""no""","two\nlines"'
    ]);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1'])(
    'defuses what a spreadsheet would calculate: %j',
    text => expect(line([text])).toEqual([`'${text}`])
  );

  it('keeps numbers numbers, negative ones too', () => {
    expect(line([-1.5])).toEqual(['-1.5']);
  });
});
