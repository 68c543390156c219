import { FakeServer } from '../../__tests__/fakeserver';
import { outerBase, outerUrl, sessionOf } from '../addresses';

describe('addresses', () => {
  it('tell whose own JupyterLab it is', () => {
    expect(sessionOf('http://hub.test/user/ana/gpuquota/s/ab12/')).toBe('ab12');
    expect(sessionOf('http://hub.test/user/ana/')).toBe('');
    expect(sessionOf('http://hub.test/gpuquota/s/')).toBe('');
  });

  it.each([
    ['http://hub.test/', 'http://hub.test/'],
    ['http://hub.test/user/ana/', 'http://hub.test/user/ana/'],
    ['http://hub.test/gpuquota/s/x/', 'http://hub.test/'],
    ['http://hub.test/user/ana/gpuquota/s/x/', 'http://hub.test/user/ana/'],
    [
      'http://hub.test/a%40b/gpuquota/s/x/gpuquota/s/y/',
      'http://hub.test/a%40b/'
    ],
    ['http://hub.test/gpuquota/s/x/p/8888/', 'http://hub.test/'],
    ['http://hub.test/user/gpuquota/s/', 'http://hub.test/user/gpuquota/s/'],
    [
      'http://hub.test/user/gpuquota/s/gpuquota/s/x/',
      'http://hub.test/user/gpuquota/s/'
    ]
  ])('below %s begin with %s', (baseUrl, outer) => {
    expect(outerBase(baseUrl)).toBe(outer);
  });

  it('are those of the first JupyterLab', () => {
    const { settings } = new FakeServer();
    const inside = {
      ...settings,
      baseUrl: `${settings.baseUrl}gpuquota/s/s1/`
    };
    for (const at of [settings, inside]) {
      expect(outerUrl(at, 'lab')).toBe('http://hub.test/user/ana/lab');
    }
  });
});
