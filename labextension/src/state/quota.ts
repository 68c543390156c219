import { Department, ProjectUse, Quota } from '../api/models';

/** Return the cluster that the name of a project or a node begins with; empty for the first. */
export function clusterOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/** Return the project of a name, else the default one, else the first. */
export function projectOf(
  { default: usual, projects }: Quota,
  name: string
): ProjectUse | undefined {
  const find = (wanted: string) =>
    projects.find(project => project.name === wanted);
  return find(name) ?? find(usual) ?? projects[0];
}

/** Return the project in which a user has or waits for GPUs, preferably the default one. */
export function usedProject(
  { default: usual, projects }: Quota,
  user: string
): ProjectUse | undefined {
  const used = projects.filter(({ users }) =>
    users.some(use => use.user === user && (use.allocated || use.waiting))
  );
  return used.find(({ name }) => name === usual) ?? used[0];
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

/** Return the departments of a project, the one that it is directly in first. */
export function departmentsOf(quota: Quota, project: string): Department[] {
  const found = quota.departments?.find(({ projects }) =>
    projects.includes(project)
  );
  return found ? pathOf(quota, found) : [];
}

/** Return a department and those above it; a circle ends where it closes. */
export function pathOf(quota: Quota, department: Department): Department[] {
  const path: Department[] = [];
  let next: Department | undefined = department;
  while (next && !path.includes(next)) {
    path.push(next);
    const { parent }: Department = next;
    next = quota.departments?.find(({ name }) => name === parent);
  }
  return path;
}
