import { KernelMessage } from '@jupyterlab/services';

/** What of a code cell's model is needed. */
export interface ICell {
  executionCount: number | null;
  executionState: 'idle' | 'running';
  trusted: boolean;
  readonly sharedModel: { getSource(): string };
  readonly outputs: {
    readonly length: number;
    add(output: IOutput): number;
    set(index: number, output: IOutput): void;
    clear(wait?: boolean): void;
  };
}

/** One output, as notebooks hold it. */
interface IOutput {
  output_type: string;
}

/** A cell that an earlier page has run: its output is put together from the kernel's messages. */
export class ContinuedCell {
  /** Begin; the document has a part of the output at most, unless it `keeps` what comes no more. */
  constructor(
    readonly id: string,
    private readonly _cell: ICell,
    keeps: boolean
  ) {
    if (!keeps) {
      _cell.outputs.clear();
    }
    _cell.executionCount = null;
    _cell.executionState = 'running';
    _cell.trusted = true; // it was run by this user, as it is
  }

  /** Take a message. */
  handle(message: KernelMessage.IIOPubMessage): void {
    const { outputs } = this._cell;
    if (KernelMessage.isExecuteInputMsg(message)) {
      this._count = message.content.execution_count;
    } else if (KernelMessage.isClearOutputMsg(message)) {
      outputs.clear(message.content.wait);
      this._displays.clear();
    } else if (KernelMessage.isUpdateDisplayDataMsg(message)) {
      const output = asOutput(message, 'display_data');
      for (const index of this._displays.get(displayOf(message)) ?? []) {
        outputs.set(index, output);
      }
    } else if (
      KernelMessage.isStreamMsg(message) ||
      KernelMessage.isErrorMsg(message) ||
      KernelMessage.isExecuteResultMsg(message) ||
      KernelMessage.isDisplayDataMsg(message)
    ) {
      outputs.add(asOutput(message, message.header.msg_type));
      const display = displayOf(message);
      if (display) {
        const known = this._displays.get(display) ?? [];
        this._displays.set(display, [...known, outputs.length - 1]);
      }
    }
  }

  /** Show that nothing more comes. */
  finish(): void {
    if (this._count !== null) {
      this._cell.executionCount = this._count;
    }
    this._cell.executionState = 'idle';
  }

  private _count: number | null = null;
  /** Where the outputs are that the kernel may change, by their display id. */
  private readonly _displays = new Map<string, number[]>();
}

function asOutput(message: KernelMessage.IIOPubMessage, type: string): IOutput {
  return { ...message.content, output_type: type };
}

function displayOf(message: KernelMessage.IIOPubMessage): string {
  const { transient } = message.content as {
    transient?: { display_id?: string };
  };
  return transient?.display_id ?? '';
}
