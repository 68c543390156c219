import { lineOf, NO_MOUNT, readMounts, writeMounts } from '../volumes/mounts';

describe('mounts of the launch form', () => {
  it.each(['data:/in', 'data:/in:ro', 'fast:10Gi:/out'])(
    'are written as they were read: %s',
    text => {
      expect(writeMounts(readMounts(text))).toBe(text);
    }
  );

  it('tell volumes from new ones', () => {
    const [known, made] = readMounts('data:/in:ro\nfast:10Gi:/out');
    expect(known).toEqual({
      ...NO_MOUNT,
      volume: 'data',
      path: '/in',
      readOnly: true
    });
    expect(made).toEqual({
      ...NO_MOUNT,
      storageClass: 'fast',
      size: '10Gi',
      path: '/out'
    });
  });

  it('leave out rows that name nothing', () => {
    expect(writeMounts([NO_MOUNT, { ...NO_MOUNT, path: '/in' }])).toBe('');
  });

  it('find the row that a problem is about', () => {
    expect(lineOf('volumes[1]')).toBe(1);
    expect(lineOf('volumes')).toBeUndefined();
  });
});
