import { deduplicating } from '../output/deduplicate';

/** A WebSocket without a network. */
class FakeSocket extends EventTarget {
  static sent = new Map<string, FakeSocket>();

  constructor(
    url: string,
    readonly protocol = ''
  ) {
    super();
    FakeSocket.sent.set(url, this);
  }
}

const Once = deduplicating(FakeSocket as unknown as typeof WebSocket);
const CHANNELS = 'ws://hub.test/s1/api/kernels/k1/channels?session_id=';
const V1 = 'v1.kernel.websocket.jupyter.org';

/** Connect; return what arrives. */
function connect(url: string, protocol = ''): unknown[] {
  const received: unknown[] = [];
  const socket = new Once(url, protocol);
  socket.onmessage = null;
  socket.addEventListener('message', event => received.push(event.data));
  return received;
}

function send(url: string, data: unknown): void {
  FakeSocket.sent
    .get(url)!
    .dispatchEvent(new MessageEvent('message', { data }));
}

const text = (id: string) => JSON.stringify({ header: { msg_id: id } });

/** Return a message in the binary form, as far as its header. */
function binary(id: string): ArrayBuffer {
  const channel = new TextEncoder().encode('iopub');
  const header = new TextEncoder().encode(text(id).slice(10, -1));
  const offsets = [32, 37, 37 + header.length];
  const data = new Uint8Array(37 + header.length);
  const view = new DataView(data.buffer);
  [3, ...offsets].forEach((value, index) =>
    view.setBigUint64(8 * index, BigInt(value), true)
  );
  data.set(channel, 32);
  data.set(header, 37);
  return data.buffer;
}

describe('messages of a kernel', () => {
  it('pass once, though a page has connected again', () => {
    const url = `${CHANNELS}a`;
    const first = connect(url);
    send(url, text('m1'));
    send(url, text('m2'));
    const again = connect(url);
    ['m1', 'm2', 'm3'].forEach(id => send(url, text(id)));
    expect(first).toEqual([text('m1'), text('m2')]);
    expect(again).toEqual([text('m3')]);
  });

  it('pass once in the binary form', () => {
    const url = `${CHANNELS}b`;
    const received = connect(url, V1);
    ['m1', 'm1', 'm2'].forEach(id => send(url, binary(id)));
    expect(received).toHaveLength(2);
  });

  it('pass to each page', () => {
    const [one, two] = ['c', 'd'].map(page => connect(`${CHANNELS}${page}`));
    send(`${CHANNELS}c`, text('m1'));
    send(`${CHANNELS}d`, text('m1'));
    expect([one, two]).toEqual([[text('m1')], [text('m1')]]);
  });

  it('pass where they cannot be read, and whatever they are elsewhere', () => {
    const url = `${CHANNELS}e`;
    const odd = ['', '{', 'null', new ArrayBuffer(3), '{"header":{}}'];
    const received = connect(url, V1);
    [...odd, ...odd].forEach(data => send(url, data));
    expect(received).toHaveLength(2 * odd.length);
    const terminal = connect('ws://hub.test/terminals/websocket/1');
    ['x', 'x'].forEach(() =>
      send('ws://hub.test/terminals/websocket/1', text('m1'))
    );
    expect(terminal).toHaveLength(2);
  });
});
