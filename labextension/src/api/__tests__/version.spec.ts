import { sameVersion, VERSION } from '../version';

describe('versions', () => {
  it('are those of the package', () => {
    expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.each([
    ['1.0.0', '1.0.0', true],
    ['1.0.0', '1.0.1', false],
    ['1.0.0-rc.1', '1.0.0rc1', true],
    ['1.0.0-alpha.2', '1.0.0a2', true],
    ['1.0.0-beta.2', '1.0.0a2', false]
  ])('%s and %s: %s', (one, other, same) => {
    expect(sameVersion(one, other)).toBe(same);
  });
});
