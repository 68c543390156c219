import { Removals } from '../removals';

describe('removals', () => {
  let deleted: string[];
  let removals: Removals;
  let failure: Error | null;

  beforeEach(() => {
    jest.useFakeTimers();
    deleted = [];
    failure = null;
    removals = new Removals(async id => {
      if (failure) {
        throw failure;
      }
      deleted.push(id);
    }, 5000);
  });

  afterEach(() => jest.useRealTimers());

  it('hide at once and delete after the time to undo', async () => {
    const done = removals.remove('a');
    expect(removals.isShown({ id: 'a' })).toBe(false);
    expect(removals.isShown({ id: 'b' })).toBe(true);
    await jest.advanceTimersByTimeAsync(4900);
    expect(deleted).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(deleted).toEqual(['a']);
    expect(await done).toBe(true);
  });

  it('can be undone', async () => {
    const done = removals.remove('a');
    removals.undo('a');
    expect(await done).toBe(false);
    expect(removals.isShown({ id: 'a' })).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(deleted).toEqual([]);
  });

  it('show it again where deleting fails', async () => {
    failure = new Error('It runs.');
    const done = removals.remove('a');
    const outcome = expect(done).rejects.toThrow('It runs.');
    await jest.advanceTimersByTimeAsync(6000);
    await outcome;
    expect(removals.isShown({ id: 'a' })).toBe(true);
  });

  it('delete nothing that was not yet deleted when the page is left', async () => {
    const done = removals.remove('a');
    removals.dispose();
    expect(await done).toBe(false);
    expect(deleted).toEqual([]);
  });

  it('delete once what is removed twice', async () => {
    void removals.remove('a');
    expect(await removals.remove('a')).toBe(false);
    await jest.advanceTimersByTimeAsync(6000);
    expect(deleted).toEqual(['a']);
  });
});
