import { makeProject, makeQuota } from '../../__tests__/builders';
import { heldBy, projectOf, usedProject, usersOf } from '../quota';

describe('quota', () => {
  const quota = makeQuota({
    projects: [
      makeProject({ name: 'team-a' }),
      makeProject({ name: 'team-b' })
    ],
    default: 'team-b'
  });

  it('is that of the chosen project, else of the default one', () => {
    expect(projectOf(quota, 'team-a')?.name).toBe('team-a');
    expect(projectOf(quota, 'gone')?.name).toBe('team-b');
    expect(projectOf(makeQuota({ projects: [] }), '')).toBeUndefined();
  });

  it('is used where a user has or waits for GPUs', () => {
    const team = (name: string, allocated: number, waiting: number) =>
      makeProject({ name, users: [{ user: 'li', allocated, waiting }] });
    const first = (...projects: ReturnType<typeof team>[]) =>
      usedProject(makeQuota({ projects, default: 'team-a' }), 'li')?.name;
    const [idle, busy, queued] = [
      team('team-a', 0, 0),
      team('team-b', 500, 0),
      team('team-c', 0, 1)
    ];
    expect(first(idle, busy)).toBe('team-b');
    expect(first(idle, queued)).toBe('team-c');
    expect(first(busy, queued, team('team-a', 1, 0))).toBe('team-a');
    expect(first(idle, team('team-b', 0, 0))).toBeUndefined();
    expect(
      usedProject(makeQuota({ projects: [idle, busy] }), 'ana')
    ).toBeUndefined();
  });

  it('sums what a user holds in all projects', () => {
    expect(heldBy(quota, 'ana')).toBe(1000);
    expect(heldBy(quota, 'nobody')).toBe(0);
  });

  it('names me first, then who holds most', () => {
    const users = [
      { user: 'bo', allocated: 100, waiting: 0 },
      { user: 'li', allocated: 900, waiting: 0 },
      { user: 'ana', allocated: 1, waiting: 0 }
    ];
    const names = usersOf(makeProject({ users }), 'ana').map(use => use.user);
    expect(names).toEqual(['ana', 'li', 'bo']);
  });
});
