/** Most that is kept, in bytes and lines. */
export const MOST_BYTES = 5 * 1024 * 1024;
export const MOST_LINES = 50_000;

/** Most of one block: it is drawn, or left out, as a whole. */
const BLOCK_LINES = 500;
const BLOCK_LENGTH = 128 * 1024;

/** A run of whole lines; the last one of the text may be incomplete. */
export interface IBlock {
  readonly id: number;
  readonly text: string;
  readonly lines: number;
}

/** A match of a search. */
export interface IHit {
  readonly block: number;
  readonly start: number;
  readonly end: number;
}

/** Colours and cursor movements, which only a terminal understands. */
const CONTROL = new RegExp(
  [
    '\\u001b\\[[0-?]*[ -/]*[@-~]',
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)',
    '\\u001b[@-_]'
  ].join('|'),
  'g'
);

/** The text of a log within bounds, cut into blocks that never change once full. */
export class LogText {
  get blocks(): readonly IBlock[] {
    return this._blocks;
  }

  get lineCount(): number {
    return this._blocks.reduce((sum, block) => sum + block.lines, 0);
  }

  /** Whether the oldest lines had to go. */
  get isCut(): boolean {
    return this._isCut;
  }

  /** Whether nothing more can be held. */
  get isFull(): boolean {
    return this._bytes >= MOST_BYTES || this.lineCount >= MOST_LINES;
  }

  /** Add at the end; the oldest lines go where there are too many. */
  append(text: string): void {
    const last = this._blocks.at(-1);
    const open =
      last && last.lines < BLOCK_LINES && last.text.length < BLOCK_LENGTH
        ? last
        : undefined;
    const added = this._cut((open?.text ?? '') + text, open?.id);
    const kept = open ? this._blocks.slice(0, -1) : this._blocks;
    this._blocks = [...kept, ...added];
    this._bytes += sizeOf(text);
    this._drop();
  }

  /** Add at the beginning, which the caller does unless it is full. */
  prepend(text: string): void {
    const first = this._blocks[0];
    // The first line here may be the rest of the last one there.
    const added = this._cut(text + (first?.text ?? ''));
    this._blocks = [...added, ...this._blocks.slice(1)];
    this._bytes += sizeOf(text);
  }

  /** Find every place, ignoring case, where a text stands. */
  find(wanted: string): IHit[] {
    const hits: IHit[] = [];
    const needle = wanted.toLowerCase();
    if (!needle) {
      return hits;
    }
    for (const { id, text } of this._blocks) {
      const haystack = shown(text).toLowerCase();
      let start = haystack.indexOf(needle);
      while (start >= 0) {
        hits.push({ block: id, start, end: start + needle.length });
        start = haystack.indexOf(needle, start + needle.length);
      }
    }
    return hits;
  }

  private _cut(text: string, firstId?: number): IBlock[] {
    const blocks: IBlock[] = [];
    let start = 0;
    while (start < text.length) {
      const end = endOfBlock(text, start);
      const part = text.slice(start, end);
      const id =
        blocks.length === 0 && firstId !== undefined ? firstId : this._id++;
      blocks.push({ id, text: part, lines: countLines(part) });
      start = end;
    }
    return blocks;
  }

  private _drop(): void {
    while (
      this._blocks.length > 1 &&
      (this._bytes > MOST_BYTES || this.lineCount > MOST_LINES)
    ) {
      this._bytes -= sizeOf(this._blocks[0].text);
      this._blocks = this._blocks.slice(1);
      this._isCut = true;
    }
  }

  private _blocks: IBlock[] = [];
  private _bytes = 0;
  private _id = 0;
  private _isCut = false;
}

/** Return a text as it is to be read: without control codes, progress bars as they ended. */
export function shown(text: string): string {
  return text
    .replace(CONTROL, '')
    .replace(/\r+\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '');
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines;
}

/** Find the end of the block that starts somewhere: that of a line, unless one is very long. */
function endOfBlock(text: string, start: number): number {
  const most = start + BLOCK_LENGTH;
  let at = start;
  for (let count = 0; count < BLOCK_LINES; count += 1) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    if (end > most) {
      return at > start ? at : most;
    }
    if (newline < 0) {
      return end;
    }
    at = end;
  }
  return at;
}

const ENCODER = new TextEncoder();

/** Return how many bytes a text takes. */
export function sizeOf(text: string): number {
  return ENCODER.encode(text).length;
}
