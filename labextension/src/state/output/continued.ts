import { KernelMessage } from '@jupyterlab/services';
import { IDropped, IHeldRequest, IMissed } from '../../api/missed';
import { codeHash } from './codehash';
import { ContinuedCell, ICell } from './continuedcell';

const NOTHING: IMissed = { requests: [], messages: [], lost: null };

/** A time of which output is missing. */
export interface IGap {
  from: string;
  to: string;
}

/** Output that was not put into a cell, for another code than the cell's has made it. */
export interface IOutdated {
  cell: string;
  /** From when to when it came; null while more may come. */
  times: IGap | null;
}

/** What of an earlier page's output is not shown. */
export interface INotShown {
  gaps: IGap[];
  outdated: IOutdated[];
}

/** The marks of the code that requests ran, as far as an earlier page has noted them. */
export type Marks = Readonly<Record<string, string>>;

/** The cells of one notebook that go on with what an earlier page has begun. */
export class Continued {
  constructor(private readonly _find: (id: string) => ICell | undefined) {}

  /** Put what was held into its cells, then what has come since; return what is not shown. */
  begin(missed: IMissed | null, noted: Marks = {}): INotShown {
    const { requests, messages, lost } = missed ?? NOTHING;
    const fresh = requests.filter(({ id }) => !this._known.has(id));
    const marks = {
      ...noted,
      ...marksOf(messages.concat(this._waiting ?? []))
    };
    const gaps = [lost, ...fresh.map(({ dropped }) => dropped)].flatMap(asGaps);
    const outdated = new Map<string, IOutdated>();
    for (const request of fresh) {
      const { id, cell, finished } = request;
      this._known.add(id);
      const found = cell ? this._find(cell) : undefined;
      const times = cell ? timesOf(id, messages) : [];
      if (!found) {
        gaps.push(...times);
      } else if (!isOf(found, marks[id])) {
        if (times.length || !finished) {
          outdated.set(cell, { cell, times: finished ? times[0] : null });
        }
      } else {
        outdated.delete(cell); // what it ran since is shown
        this._open(request, found);
      }
    }
    messages.forEach(message => this._place(message));
    messages.forEach(({ header }) => this._held.add(header.msg_id));
    const since = this._waiting ?? [];
    this._waiting = null;
    since.forEach(message => this.handle(message));
    // A kernel that died says of no request that it has ended.
    fresh
      .filter(({ finished }) => finished)
      .forEach(({ id }) => this._close(id));
    return { gaps, outdated: [...outdated.values()] };
  }

  /** Take a message that has just come; until `begin` all of them wait. */
  handle(message: KernelMessage.IIOPubMessage): void {
    if (this._waiting) {
      this._waiting.push(message);
    } else if (!this._held.delete(message.header.msg_id)) {
      this._place(message);
    }
  }

  /** Leave a cell to the user who runs it again. */
  leave(cell: string): void {
    for (const [request, { id }] of this._cells) {
      if (id === cell) {
        this._cells.delete(request);
      }
    }
  }

  /** Leave all cells: their kernel was started again. */
  leaveAll(): void {
    [...this._cells.keys()].forEach(request => this._close(request));
  }

  private _open({ id, cell, dropped }: IHeldRequest, found: ICell): void {
    this.leave(cell);
    this._cells.set(id, new ContinuedCell(cell, found, Boolean(dropped)));
  }

  private _place(message: KernelMessage.IIOPubMessage): void {
    const request = parentOf(message);
    const cell = this._cells.get(request);
    cell?.handle(message);
    if (
      cell &&
      KernelMessage.isStatusMsg(message) &&
      message.content.execution_state === 'idle'
    ) {
      this._close(request);
    }
  }

  private _close(request: string): void {
    this._cells.get(request)?.finish();
    this._cells.delete(request);
  }

  private readonly _cells = new Map<string, ContinuedCell>();
  private readonly _known = new Set<string>();
  /** What was held may come as well, if it was on its way. */
  private readonly _held = new Set<string>();
  private _waiting: KernelMessage.IIOPubMessage[] | null = [];
}

function parentOf({ parent_header }: KernelMessage.IIOPubMessage): string {
  return 'msg_id' in parent_header ? parent_header.msg_id : '';
}

function isShown(message: KernelMessage.IIOPubMessage): boolean {
  return !['status', 'execute_input'].includes(message.header.msg_type);
}

function asGaps(dropped: IDropped | null): IGap[] {
  return dropped ? [{ from: dropped.first, to: dropped.last }] : [];
}

/** Return from when to when output of a request came, if any did. */
function timesOf(
  request: string,
  messages: readonly KernelMessage.IIOPubMessage[]
): IGap[] {
  const times = messages
    .filter(message => parentOf(message) === request && isShown(message))
    .map(({ header }) => header.date);
  return times.length ? [{ from: times[0], to: times[times.length - 1] }] : [];
}

/** Return the marks of the code that the kernel says it runs. */
function marksOf(messages: readonly KernelMessage.IIOPubMessage[]): Marks {
  const inputs = messages.filter(KernelMessage.isExecuteInputMsg);
  return Object.fromEntries(
    inputs.map(input => [parentOf(input), codeHash(input.content.code)])
  );
}

/** Return whether a cell still has the code of a mark, as far as that is known. */
function isOf(cell: ICell, mark: string | undefined): boolean {
  return !mark || mark === codeHash(cell.sharedModel.getSource());
}
