import { ApiError } from '../../api/errors';
import { IAnswer, NOT_MODIFIED } from '../../api/request';
import { Resource } from '../resource';

/** A thing on the server that counts how it is read. */
class Source {
  value = 1;
  error: ApiError | null = null;
  reads: { etag: string; background: boolean }[] = [];
  pending = 0;
  mostPending = 0;
  /** How long an answer takes. */
  delay = 10;

  read = async (
    etag: string,
    background: boolean
  ): Promise<IAnswer<number> | typeof NOT_MODIFIED> => {
    this.reads.push({ etag, background });
    this.pending += 1;
    this.mostPending = Math.max(this.mostPending, this.pending);
    const { value, error } = this;
    await new Promise(resolve => setTimeout(resolve, this.delay));
    this.pending -= 1;
    if (error) {
      throw error;
    }
    return etag === String(value)
      ? NOT_MODIFIED
      : { value, etag: String(value) };
  };
}

const FAILURE = new ApiError({ code: 'Unavailable', message: 'Down.' }, 503);

describe('a resource', () => {
  let source: Source;
  let resource: Resource<number>;
  let isHidden: boolean;

  beforeEach(() => {
    jest.useFakeTimers();
    source = new Source();
    resource = new Resource({
      name: 'test',
      interval: 10_000,
      read: source.read
    });
    isHidden = false;
    jest.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
  });

  afterEach(() => {
    resource.dispose();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const setHidden = (hidden: boolean) => {
    isHidden = hidden;
    document.dispatchEvent(new window.Event('visibilitychange'));
  };

  it('is pending and unread until somebody watches it', async () => {
    await pass(60_000);
    expect(source.reads).toEqual([]);
    expect(resource.result).toEqual({ status: 'pending' });
    resource.watch();
    await pass(100);
    expect(resource.result).toEqual({ status: 'ready', value: 1 });
  });

  it('is polled while somebody watches, and no longer after that', async () => {
    const watcher = resource.watch();
    await pass(100);
    source.value = 2;
    await pass(11_000);
    expect(resource.result).toEqual({ status: 'ready', value: 2 });
    watcher.dispose();
    const reads = source.reads.length;
    await pass(100_000);
    expect(source.reads.length).toBe(reads);
  });

  it('asks with the ETag of what it knows, and is silent where that holds', async () => {
    resource.watch();
    await pass(100);
    const changes = jest.fn();
    resource.changed.connect(changes);
    await pass(11_000);
    expect(source.reads.at(-1)).toEqual({ etag: '1', background: true });
    expect(changes).not.toHaveBeenCalled();
  });

  it('reads a burst of changes once or twice, never two at once', async () => {
    source.delay = 200;
    resource.watch();
    await pass(1000);
    source.reads = [];
    for (let i = 0; i < 50; i += 1) {
      resource.invalidate();
      await pass(10);
    }
    await pass(2000);
    expect(source.reads.length).toBeGreaterThanOrEqual(1);
    expect(source.reads.length).toBeLessThanOrEqual(3);
    expect(source.mostPending).toBe(1);
  });

  it('shows the last of the changes, even one that comes during a read', async () => {
    source.delay = 200;
    resource.watch();
    await pass(1000);
    resource.invalidate();
    await pass(310); // the read is under way with the old value
    source.value = 5;
    resource.invalidate();
    await pass(2000);
    expect(resource.result).toEqual({ status: 'ready', value: 5 });
  });

  it('waits longer between reads for those who only count', async () => {
    resource.watch(3000);
    await pass(100);
    source.reads = [];
    resource.invalidate();
    await pass(1000);
    expect(source.reads.length).toBe(0);
    await pass(3000);
    expect(source.reads.length).toBe(1);
  });

  it('is not read while the page is hidden, and at once when it is seen', async () => {
    resource.watch();
    await pass(100);
    setHidden(true);
    source.reads = [];
    source.value = 3;
    resource.invalidate();
    await pass(60_000);
    expect(source.reads).toEqual([]);
    setHidden(false);
    await pass(1000);
    expect(resource.result).toEqual({ status: 'ready', value: 3 });
  });

  it('keeps what it knew when reading fails, says so, and recovers', async () => {
    resource.watch();
    await pass(100);
    source.error = FAILURE;
    void resource.refresh();
    await pass(100);
    expect(resource.result).toEqual({
      status: 'ready',
      value: 1,
      error: FAILURE
    });
    source.error = null;
    void resource.refresh();
    await pass(100);
    expect(resource.result).toEqual({ status: 'ready', value: 1 });
  });

  it('is an error where nothing was known before', async () => {
    source.error = FAILURE;
    resource.watch();
    await pass(100);
    expect(resource.result).toEqual({ status: 'error', error: FAILURE });
  });

  it('asks ever more slowly while nothing answers', async () => {
    source.error = FAILURE;
    resource.watch();
    await pass(10 * 60_000);
    const slow = source.reads.length;
    expect(slow).toBeLessThan(30); // 60 would be every ten seconds
    await pass(10 * 60_000);
    expect(source.reads.length).toBeGreaterThan(slow);
  });

  it('counts what a person asks for as activity', async () => {
    resource.watch();
    await pass(100);
    void resource.refresh();
    await pass(100);
    expect(source.reads.at(-1)?.background).toBe(false);
  });

  it('stops when it is disposed', async () => {
    resource.watch();
    await pass(100);
    source.reads = [];
    resource.dispose();
    resource.invalidate();
    await pass(100_000);
    expect(source.reads).toEqual([]);
  });
});
