import { LogChunk, LogQuery } from '../../api/models';
import { asApiError } from '../../api/errors';
import { LogModel } from '../logs/log';
import { LogText, MOST_BYTES, MOST_LINES, shown } from '../logs/logtext';

/** A log on the server, of which characters before `start` were rotated away. */
class FakeLog {
  text = '';
  start = 0;
  ended = false;
  error: Error | null = null;
  queries: LogQuery[] = [];

  read = async (query: LogQuery): Promise<LogChunk> => {
    this.queries.push(query);
    if (this.error) {
      throw this.error;
    }
    const { text, start, ended } = this;
    const limit = query.limit ?? 262_144;
    let begin = Math.max(start, Number(query.cursor ?? 0));
    let end = Math.min(text.length, begin + limit);
    if (query.before) {
      end = Number(query.before);
      begin = Math.max(start, end - limit);
    } else if (query.tail) {
      end = text.length;
      begin = Math.max(start, end - lastLines(text, query.tail).length);
    }
    return {
      text: text.slice(begin, end),
      cursor: String(end),
      earlier: begin > start ? String(begin) : '',
      missed: begin === start && start > 0,
      ended
    };
  };
}

function lastLines(text: string, count: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(-count)
    .join('');
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('');

describe('a log', () => {
  let log: FakeLog;
  let model: LogModel;
  let isShown: boolean;

  beforeEach(() => {
    jest.useFakeTimers();
    log = new FakeLog();
    isShown = true;
    model = new LogModel(log.read, () => isShown);
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  const pass = (ms = 3000) => jest.advanceTimersByTimeAsync(ms);
  const text = () => model.text.blocks.map(block => block.text).join('');

  it('begins with its end and goes on from there', async () => {
    log.text = lines(0, 3000);
    expect(model.isPending).toBe(true);
    await pass();
    expect(text()).toBe(lines(2000, 3000));
    expect(model.hasEarlier).toBe(true);
    log.text += lines(3000, 3010);
    await pass();
    expect(text()).toBe(lines(2000, 3010));
  });

  it('is read on request from before its end', async () => {
    log.text = lines(0, 3000);
    await pass();
    await model.loadEarlier();
    expect(text()).toBe(lines(0, 3000));
    expect(model.hasEarlier).toBe(false);
  });

  it('is read in parts where there is much of it', async () => {
    log.text = 'start\n';
    await pass();
    log.text += lines(0, 60_000);
    const before = log.queries.length;
    await pass(1000);
    expect(log.queries.length).toBeGreaterThan(before + 2);
    expect(text().endsWith('line 59999\n')).toBe(true);
    expect(model.text.isCut).toBe(true);
    expect(model.canLoadEarlier).toBe(false);
  });

  it('says at once that its beginning has been rotated away', async () => {
    log.text = lines(0, 20);
    log.start = lines(0, 10).length;
    await pass();
    expect(text()).toBe(lines(10, 20));
    expect(model.rotatedAway).toBe(true);
    expect(model.hasEarlier).toBe(false);
  });

  it('is read as a whole to be saved, and stays as it is shown', async () => {
    log.text = lines(0, 60_000);
    log.start = lines(0, 10).length;
    await pass();
    const before = text();
    expect((await model.readAll())?.join('')).toBe(lines(10, 60_000));
    expect(text()).toBe(before);
    log.error = asApiError(new Error('gone'));
    expect(await model.readAll()).toBeUndefined();
    expect(model.error?.message).toContain('gone');
  });

  it('joins a line that was cut between two parts', async () => {
    log.text = 'first li';
    await pass();
    log.text += 'ne\nsecond\n';
    await pass();
    expect(text()).toBe('first line\nsecond\n');
    expect(model.text.lineCount).toBe(2);
  });

  it('says that what was before has been rotated away', async () => {
    log.text = lines(0, 3000);
    log.start = lines(0, 1500).length;
    await pass();
    await model.loadEarlier();
    expect(text()).toBe(lines(1500, 3000));
    expect(model.rotatedAway).toBe(true);
    expect(model.hasEarlier).toBe(false);
  });

  it('is not read while nobody looks, nor after its end', async () => {
    await pass();
    isShown = false;
    await pass();
    const before = log.queries.length;
    await pass(60_000);
    expect(log.queries.length).toBe(before);
    isShown = true;
    log.ended = true;
    await pass(60_000);
    expect(model.hasEnded).toBe(true);
    expect(log.queries.length).toBeLessThanOrEqual(before + 2);
  });

  it('goes on when an ended session runs again', async () => {
    log.ended = true;
    await pass();
    log.ended = false;
    log.text = 'again\n';
    model.wake();
    await pass();
    expect(text()).toBe('again\n');
    expect(model.hasEnded).toBe(false);
  });

  it('says why it cannot be read, and recovers', async () => {
    log.error = asApiError(new Error('Down.'));
    await pass();
    expect(model.error?.message).toBe('Down.');
    log.error = null;
    log.text = 'x\n';
    await pass(60_000);
    expect(model.error).toBeUndefined();
    expect(text()).toBe('x\n');
  });
});

describe('the text of a log', () => {
  it('is bounded in lines, and drops the oldest', () => {
    const text = new LogText();
    for (let i = 0; i < 60; i += 1) {
      text.append(lines(i * 1000, (i + 1) * 1000));
    }
    expect(text.lineCount).toBeLessThanOrEqual(MOST_LINES);
    expect(text.isCut).toBe(true);
    expect(text.blocks.at(-1)?.text.endsWith('line 59999\n')).toBe(true);
  });

  it('is bounded in bytes, even if there is not a single line break', () => {
    const text = new LogText();
    for (let i = 0; i < 80; i += 1) {
      text.append('é'.repeat(50_000));
    }
    const held = text.blocks.reduce((sum, block) => sum + block.text.length, 0);
    expect(2 * held).toBeLessThanOrEqual(MOST_BYTES);
    expect(held).toBeGreaterThan(1_000_000);
  });

  it('keeps full blocks as they are, so that they are not drawn again', () => {
    const text = new LogText();
    text.append(lines(0, 1200));
    const [first] = text.blocks;
    text.append(lines(1200, 1300));
    expect(text.blocks[0]).toBe(first);
  });

  it('finds every place, ignoring case', () => {
    const text = new LogText();
    text.append(lines(0, 600));
    text.append('An ERROR and an error\n');
    const hits = text.find('error');
    expect(hits).toHaveLength(2);
    const { block, start, end } = hits[1];
    const found = text.blocks.find(({ id }) => id === block)?.text ?? '';
    expect(found.slice(start, end)).toBe('error');
    expect(text.find('')).toEqual([]);
  });

  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['10%\r50%\r100%\n', '100%\n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['plain', 'plain']
  ])('shows %j as %j', (raw, expected) => {
    expect(shown(raw)).toBe(expected);
  });
});
