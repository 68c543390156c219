import { ISessionContext } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import { endWithNotebook } from '../notebooks/kernelitem';

/** A notebook's connection to its kernel, as far as it is looked at. */
class Context {
  isDisposed = false;
  kernelPreference: { name: string; shutdownOnDispose?: boolean } = {
    name: 'k'
  };
  session: { kernel: { status: string; spec: Promise<object> } } | null = null;
  kernelChanged = new Signal<this, void>(this);
  statusChanged = new Signal<this, void>(this);

  async use(metadata: object, status: string): Promise<void> {
    const spec = Promise.resolve({ metadata });
    this.session = { kernel: { status, spec } };
    this.kernelChanged.emit();
    await new Promise(resolve => setTimeout(resolve));
  }
}

const TEMPLATE = { gpuquota: { template: 'small' } };
const SESSION = { gpuquota: { session: 'team-a/exp-1' } };

describe('closing the last view of a notebook', () => {
  let context: Context;
  const start = () => endWithNotebook(context as unknown as ISessionContext);
  const ends = () => Boolean(context.kernelPreference.shutdownOnDispose);

  beforeEach(() => {
    context = new Context();
  });

  it('ends the kernel of a template, unless a cell runs', async () => {
    start();
    await context.use(TEMPLATE, 'idle');
    expect(ends()).toBe(true);
    expect(context.kernelPreference.name).toBe('k');
    await context.use(TEMPLATE, 'busy');
    expect(ends()).toBe(false);
  });

  it('leaves other kernels alone, also those of sessions', async () => {
    start();
    for (const metadata of [SESSION, {}]) {
      await context.use(TEMPLATE, 'idle');
      await context.use(metadata, 'idle');
      expect(ends()).toBe(false);
    }
  });

  it('keeps a setting of the user', async () => {
    context.kernelPreference.shutdownOnDispose = true;
    start();
    await context.use(SESSION, 'idle');
    await context.use(TEMPLATE, 'busy');
    expect(ends()).toBe(true);
  });

  it('is as usual again where a second view was closed before', async () => {
    start();
    const second = start();
    await context.use(TEMPLATE, 'idle');
    second.dispose();
    await context.use({}, 'idle');
    expect(ends()).toBe(false);
  });
});
