import { ProjectUse, Quota } from '../api/models';

/** Find a project, else the default one, else the first. */
export function projectOf(quota: Quota, name: string): ProjectUse | undefined {
  const find = (wanted: string) =>
    quota.projects.find(project => project.name === wanted);
  return find(name) ?? find(quota.default) ?? quota.projects[0];
}

/**
 * Return whether one project has all of the GPUs, as where no admin has set any: nothing is shared
 * out then, and no view speaks of projects or quota.
 */
export function isUndivided({ projects, capacity }: Quota): boolean {
  return projects.length === 1 && projects[0].quota === capacity;
}

/** Sum what a user holds in all projects, in milli-GPU. */
export function heldBy(quota: Quota, user: string): number {
  return quota.projects
    .flatMap(project => project.users)
    .filter(use => use.user === user)
    .reduce((sum, use) => sum + use.allocated, 0);
}

/** List a project's users: the asking one first, then who holds most. */
export function usersOf(project: ProjectUse, me: string): ProjectUse['users'] {
  return [...project.users].sort(
    (a, b) =>
      Number(b.user === me) - Number(a.user === me) ||
      b.allocated - a.allocated ||
      (a.user < b.user ? -1 : 1)
  );
}
