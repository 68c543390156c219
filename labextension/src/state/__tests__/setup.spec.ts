import { makeAbout } from '../../__tests__/builders';
import { ApiError, foreign } from '../../api/errors';
import { API_VERSION } from '../../api/version';
import { diagnose } from '../setup';

describe('the diagnosis', () => {
  const ready = (changes = {}) =>
    diagnose({ status: 'ready', value: makeAbout(changes) });
  const failed = (error: ApiError) => diagnose({ status: 'error', error });

  it('is fine where both halves belong together', () => {
    expect(diagnose({ status: 'pending' }).kind).toBe('pending');
    expect(ready().kind).toBe('fine');
  });

  it('tells another release, which may be usable', () => {
    expect(ready({ version: '99.0.0' })).toMatchObject({
      kind: 'version',
      server: '99.0.0',
      usable: true
    });
    expect(ready({ api: API_VERSION + 1 })).toMatchObject({
      kind: 'version',
      usable: false
    });
  });

  it('tells that the server half is missing', () => {
    expect(failed(foreign('NoExtension', '404', 404)).kind).toBe('missing');
  });

  it.each([
    [401, 'forbidden'],
    [403, 'forbidden'],
    [503, 'failed'],
    [0, 'failed']
  ])('of a failure with status %d: %s', (status, kind) => {
    const error = new ApiError({ code: 'X', message: 'No.' }, status);
    expect(failed(error)).toEqual({ kind, error });
  });
});
