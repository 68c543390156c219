/** What a cell of a CSV file is made of; null stays empty. */
export type Cell = string | number | null;

/**
 * Write a table as CSV (RFC 4180), the header first.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front: names are
 * chosen by other people. The byte order mark tells spreadsheets that it is UTF-8.
 */
export function toCsv(
  header: readonly string[],
  rows: readonly (readonly Cell[])[]
): string {
  const lines = [header, ...rows].map(cells => cells.map(escape).join(','));
  return `\ufeff${lines.join('\r\n')}\r\n`;
}

function escape(cell: Cell): string {
  if (cell === null) {
    return '';
  }
  if (typeof cell === 'number') {
    return String(cell);
  }
  const text = /^\s*[=+\-@\t\r|%]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
