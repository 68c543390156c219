import { Unfinished } from '../output/unfinished';

describe('what ran when a page was left', () => {
  let unfinished: Unfinished;

  beforeEach(() => {
    window.localStorage.clear();
    unfinished = new Unfinished(window.localStorage, 's1');
  });

  it('is told to the next page, once', () => {
    unfinished.begin('k1', 'page-1', 'r1', 'mark');
    unfinished.begin('k1', 'page-1', 'r2', 'mark');
    unfinished.end('k1', 'r1');
    expect(unfinished.take('k1')).toBeNull();
    unfinished.leave(['page-1'], 'now');
    expect(unfinished.take('k1')).toEqual({
      client: 'page-1',
      requests: { r2: 'mark' },
      left: 'now'
    });
    expect(unfinished.take('k1')).toBeNull();
  });

  it('is nothing where everything has ended', () => {
    unfinished.begin('k1', 'page-1', 'r1', 'mark');
    unfinished.end('k1', 'r1');
    unfinished.begin('k2', 'page-1', 'r2', 'mark');
    unfinished.endAll('k2');
    unfinished.leave(['page-1'], 'now');
    expect(unfinished.take('k1')).toBeNull();
    expect(unfinished.take('k2')).toBeNull();
  });

  it('is not what another page runs', () => {
    unfinished.begin('k1', 'page-1', 'r1', 'mark');
    unfinished.leave(['page-2'], 'now');
    expect(unfinished.take('k1')).toBeNull();
    unfinished.begin('k1', 'page-2', 'r2', 'mark');
    unfinished.leave(['page-2'], 'now');
    expect(unfinished.take('k1')?.requests).toEqual({ r2: 'mark' });
  });

  it('is of one session, and does not pile up', () => {
    for (let kernel = 0; kernel < 60; kernel++) {
      unfinished.begin(`k${kernel}`, 'page-1', 'r', 'mark');
    }
    unfinished.leave(['page-1'], 'now');
    const other = new Unfinished(window.localStorage, 's2');
    expect(other.take('k59')).toBeNull();
    expect(unfinished.take('k0')).toBeNull();
    expect(unfinished.take('k59')).not.toBeNull();
  });

  it('begins anew where the storage holds something else', () => {
    const key = 'jupyter-gpuquota:unfinished:s1';
    window.localStorage.setItem(key, 'no JSON');
    unfinished.begin('k1', 'page-1', 'r1', 'mark');
    unfinished.leave(['page-1'], 'now');
    expect(unfinished.take('k1')?.requests).toEqual({ r1: 'mark' });
  });
});
