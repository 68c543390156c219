/** What runs in one kernel for one page. */
export interface IUnfinished {
  /** How the page named itself. */
  client: string;
  /** The mark of each request's code; empty where that is not known. */
  requests: Record<string, string>;
  /** When the page was left; empty while it is there. */
  left: string;
}

type Known = Record<string, IUnfinished>;

/** Kernels that are remembered; the oldest go. */
const MOST = 50;

/** What this browser's pages of one session had kernels run when they were left. */
export class Unfinished {
  constructor(
    private readonly _storage: Storage,
    session: string
  ) {
    this._key = `jupyter-gpuquota:unfinished:${session}`;
  }

  /** Note that code runs. */
  begin(kernel: string, client: string, request: string, mark: string): void {
    this._change(known => {
      const before = known[kernel];
      const others = before?.client === client ? before.requests : {};
      delete known[kernel];
      const requests = { ...others, [request]: mark };
      known[kernel] = { client, requests, left: '' };
    });
  }

  /** Note that code has ended. */
  end(kernel: string, request: string): void {
    this._change(known => {
      const found = known[kernel];
      if (found && request in found.requests) {
        delete found.requests[request];
        if (!Object.keys(found.requests).length) {
          delete known[kernel];
        }
      }
    });
  }

  /** Note that everything has ended: the kernel was started again. */
  endAll(kernel: string): void {
    this._change(known => delete known[kernel]);
  }

  /** Note that a page is being left. */
  leave(clients: readonly string[], now: string): void {
    this._change(known => {
      for (const found of Object.values(known)) {
        if (clients.includes(found.client)) {
          found.left = now;
        }
      }
    });
  }

  /** Return, once, what ran in a kernel when its page was left. */
  take(kernel: string): IUnfinished | null {
    const found = this._read()[kernel];
    if (!found?.left) {
      return null;
    }
    this.endAll(kernel);
    return found;
  }

  private _change(change: (known: Known) => void): void {
    const known = this._read();
    const before = JSON.stringify(known);
    change(known);
    for (const kernel of Object.keys(known).slice(0, -MOST)) {
      delete known[kernel];
    }
    const after = JSON.stringify(known);
    if (after !== before) {
      this._write(after);
    }
  }

  private _write(text: string): void {
    try {
      this._storage.setItem(this._key, text);
    } catch (error) {
      console.warn('What runs cannot be remembered for the next page:', error);
    }
  }

  private _read(): Known {
    try {
      return JSON.parse(this._storage.getItem(this._key) ?? '{}') as Known;
    } catch {
      return {}; // another program's text: start over
    }
  }

  private readonly _key: string;
}
