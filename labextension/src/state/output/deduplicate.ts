/** How many messages of each connection are remembered: a few seconds of the fastest kernel. */
const MOST = 5000;
const CHANNELS = /\/api\/kernels\/[^/]+\/channels\?/;

/**
 * Return a WebSocket class that passes each message of a kernel on once, though the ingress sends
 * some twice: after a connection breaks, it is unknown which of the last ones arrived.
 */
export function deduplicating(Base: typeof WebSocket): typeof WebSocket {
  const connections = new Map<string, Seen>();
  return class extends Base {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      const address = String(url);
      if (!CHANNELS.test(address)) {
        return;
      }
      // It names the kernel and the page, the same ones whenever the page connects again.
      const seen = connections.get(address) ?? new Seen();
      connections.set(address, seen);
      this.addEventListener('message', event => {
        const id = messageId(event.data, this.protocol);
        if (id && !seen.isNew(id)) {
          event.stopImmediatePropagation();
        }
      });
    }
  };
}

/** The messages that have come, as far back as they may come again. */
class Seen {
  isNew(id: string): boolean {
    if (this._ids.has(id)) {
      return false;
    }
    this._ids.add(id);
    if (this._ids.size > MOST) {
      for (const oldest of this._ids) {
        this._ids.delete(oldest);
        break;
      }
    }
    return true;
  }

  private _ids = new Set<string>();
}

/** Return the id of a kernel's message; empty for one that cannot be read. */
function messageId(data: unknown, protocol: string): string {
  try {
    const header =
      typeof data === 'string'
        ? JSON.parse(data).header
        : protocol && data instanceof ArrayBuffer
          ? JSON.parse(headerOf(data))
          : null;
    return header?.msg_id ?? '';
  } catch {
    return ''; // JupyterLab says what is wrong with it
  }
}

/** Read the header of the form `v1.kernel.websocket.jupyter.org`: the second part. */
function headerOf(data: ArrayBuffer): string {
  const view = new DataView(data);
  const [begin, end] = [16, 24].map(at => Number(view.getBigUint64(at, true)));
  return new TextDecoder().decode(new Uint8Array(data, begin, end - begin));
}
