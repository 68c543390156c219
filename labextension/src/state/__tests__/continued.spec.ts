import { KernelMessage } from '@jupyterlab/services';
import { IHeldRequest } from '../../api/missed';
import { codeHash } from '../output/codehash';
import { Continued } from '../output/continued';
import { ICell } from '../output/continuedcell';

type Output = Record<string, unknown>;

/** A code cell's model, as far as outputs go. */
class FakeCell implements ICell {
  constructor(readonly shown: Output[] = []) {}

  source = 'run()';

  executionCount: number | null = 3;
  executionState: 'idle' | 'running' = 'idle';
  trusted = false;

  readonly outputs = this;
  readonly sharedModel = { getSource: () => this.source };

  get length(): number {
    return this.shown.length;
  }

  add(output: object): number {
    if (this._clears) {
      this.shown.length = 0;
      this._clears = false;
    }
    return this.shown.push(output as Output);
  }

  set(index: number, output: object): void {
    this.shown[index] = output as Output;
  }

  clear(wait = false): void {
    if (wait) {
      this._clears = true;
    } else {
      this.shown.length = 0;
    }
  }

  get texts(): unknown[] {
    return this.shown.map(({ text, data }) => text ?? data);
  }

  private _clears = false;
}

let count = 0;

function message(
  msg_type: string,
  content: object,
  request = 'r1'
): KernelMessage.IIOPubMessage {
  const date = `2026-01-01T14:02:${String(count % 60).padStart(2, '0')}Z`;
  return {
    channel: 'iopub',
    header: { msg_id: `m${count++}`, msg_type, date },
    parent_header: { msg_id: request },
    metadata: {},
    content
  } as unknown as KernelMessage.IIOPubMessage;
}

const print = (text: string, request?: string) =>
  message('stream', { name: 'stdout', text }, request);
const input = (execution_count: number, code = 'run()') =>
  message('execute_input', { code, execution_count });
const idle = (request?: string) =>
  message('status', { execution_state: 'idle' }, request);
const display = (type: string, data: string, display_id: string) =>
  message(type, { data, metadata: {}, transient: { display_id } });

const held = (parts: Partial<IHeldRequest> = {}): IHeldRequest => ({
  id: 'r1',
  cell: 'c1',
  finished: false,
  dropped: null,
  ...parts
});

const all = { gaps: [], outdated: [] };

describe('a cell that an earlier page has run', () => {
  let cell: FakeCell;
  let continued: Continued;

  const begin = (
    messages: KernelMessage.IIOPubMessage[],
    request: Partial<IHeldRequest> = {}
  ) => continued.begin({ requests: [held(request)], messages, lost: null });

  beforeEach(() => {
    count = 0;
    cell = new FakeCell([{ output_type: 'stream', text: 'saved' }]);
    continued = new Continued(id => (id === 'c1' ? cell : undefined));
  });

  it('shows everything once, whatever the document had of it', () => {
    expect(begin([input(7), print('1'), print('2')])).toEqual(all);
    expect(cell.texts).toEqual(['1', '2']);
    expect(cell.executionState).toBe('running');
    expect(cell.executionCount).toBeNull();
    expect(cell.trusted).toBe(true);
  });

  it('goes on live until it ends', () => {
    begin([input(7), print('1')]);
    continued.handle(print('2'));
    continued.handle(idle());
    continued.handle(print('from a thread, later'));
    expect(cell.texts).toEqual(['1', '2']);
    expect(cell.executionState).toBe('idle');
    expect(cell.executionCount).toBe(7);
  });

  it('shows once what was held and has come as well', () => {
    const [first, second, third] = [print('1'), print('2'), print('3')];
    continued.handle(second);
    continued.handle(third);
    begin([first, second]);
    expect(cell.texts).toEqual(['1', '2', '3']);
  });

  it('shows once what was held and was still on its way', () => {
    const late = print('1');
    begin([late]);
    continued.handle(late);
    expect(cell.texts).toEqual(['1']);
  });

  it('is finished if it ended meanwhile, or if its kernel died', () => {
    begin([input(7), print('1'), idle()], { finished: true });
    expect(cell.executionCount).toBe(7);
    const died = new FakeCell();
    new Continued(() => died).begin({
      requests: [held({ finished: true })],
      messages: [print('last words')],
      lost: null
    });
    expect(died.texts).toEqual(['last words']);
    expect(died.executionState).toBe('idle');
  });

  it('keeps what the document has where the beginning was dropped', () => {
    const dropped = { count: 9, first: 'a', last: 'b' };
    const { gaps } = begin([print('9')], { dropped });
    expect(gaps).toEqual([{ from: 'a', to: 'b' }]);
    expect(cell.texts).toEqual(['saved', '9']);
  });

  it('clears, and waits with it, as the kernel says', () => {
    begin([print('1'), message('clear_output', { wait: true })]);
    expect(cell.texts).toEqual(['1']);
    continued.handle(print('2'));
    expect(cell.texts).toEqual(['2']);
    continued.handle(message('clear_output', { wait: false }));
    expect(cell.texts).toEqual([]);
  });

  it('changes what was displayed under an id', () => {
    begin([
      display('display_data', 'old', 'd1'),
      display('display_data', 'other', 'd2')
    ]);
    continued.handle(display('update_display_data', 'new', 'd1'));
    continued.handle(display('update_display_data', 'unknown', 'd3'));
    expect(cell.texts).toEqual(['new', 'other']);
  });

  it('shows errors and results', () => {
    begin([
      message('execute_result', { data: '42', execution_count: 7 }),
      message('error', { ename: 'E', evalue: '', traceback: [] }),
      message('comm_msg', {})
    ]);
    const types = cell.shown.map(({ output_type }) => output_type);
    expect(types).toEqual(['execute_result', 'error']);
  });

  it('is left to whoever runs it anew', () => {
    begin([print('1')]);
    continued.leave('c1');
    continued.handle(print('2'));
    continued.handle(idle());
    expect(cell.texts).toEqual(['1']);
    expect(cell.executionState).toBe('running');
  });

  it('ends with its kernel', () => {
    begin([input(7), print('1')]);
    continued.leaveAll();
    continued.handle(print('2'));
    expect(cell.texts).toEqual(['1']);
    expect(cell.executionState).toBe('idle');
  });

  it('is not begun again when the page connects again', () => {
    begin([print('1')]);
    continued.handle(print('2'));
    begin([print('1'), print('2')]);
    expect(cell.texts.slice(0, 2)).toEqual(['1', '2']);
  });

  it('that is not there any more is named with its time', () => {
    const gone = { cell: 'deleted' };
    const { gaps } = begin([input(7), print('1'), print('2'), idle()], gone);
    expect(gaps).toEqual([
      { from: '2026-01-01T14:02:01Z', to: '2026-01-01T14:02:02Z' }
    ]);
    expect(cell.texts).toEqual(['saved']);
  });

  it('that holds other code by now is left as it is', () => {
    cell.source = 'old()';
    const { gaps, outdated } = begin(
      [input(7), print('1'), print('2'), idle()],
      { finished: true }
    );
    expect(cell.texts).toEqual(['saved']);
    expect([cell.executionCount, cell.executionState]).toEqual([3, 'idle']);
    expect(cell.trusted).toBe(false);
    expect(gaps).toEqual([]);
    const times = { from: '2026-01-01T14:02:01Z', to: '2026-01-01T14:02:02Z' };
    expect(outdated).toEqual([{ cell: 'c1', times }]);
  });

  it('that holds other code by now does not go on live, either', () => {
    cell.source = 'old()';
    continued.handle(input(7));
    expect(begin([]).outdated).toEqual([{ cell: 'c1', times: null }]);
    continued.handle(print('1'));
    continued.handle(idle());
    expect(cell.texts).toEqual(['saved']);
    expect(cell.executionCount).toBe(3);
  });

  it('that waits, or of which the beginning was dropped, is known by its mark', () => {
    cell.source = 'old()';
    const missed = { requests: [held()], messages: [], lost: null };
    const marks = { r1: codeHash('run()') };
    expect(continued.begin(missed, marks).outdated).toHaveLength(1);
    expect(cell.texts).toEqual(['saved']);
    cell.source = 'run()\n';
    const again = new Continued(() => cell);
    expect(again.begin(missed, marks)).toEqual(all);
    expect(cell.executionState).toBe('running');
  });

  it('that was run again with the code it has shows that run only', () => {
    const requests = [held({ finished: true }), held({ id: 'r2' })];
    const messages = [input(7, 'other()'), print('1'), print('2', 'r2')];
    const missed = { requests, messages, lost: null };
    expect(continued.begin(missed, { r2: codeHash('run()') })).toEqual(all);
    expect(cell.texts).toEqual(['2']);
  });

  it('ignores code of consoles and of other cells', () => {
    begin([print('console', 'r2')], { id: 'r2', cell: '' });
    continued.handle(print('own', 'r3'));
    expect(cell.texts).toEqual(['saved']);
  });

  it('says what of its own page is lost', () => {
    const lost = { count: 1, first: 'a', last: 'b' };
    const { gaps } = continued.begin({ requests: [], messages: [], lost });
    expect(gaps).toEqual([{ from: 'a', to: 'b' }]);
  });
});
