import { clusterOf } from '../../state/quota';
import { useResult, useUi } from '../parts/ui';

/** The projects that are set here, and the accounts that are known: of projects and of sessions. */
export function usePeople(): {
  projects: readonly string[];
  /** Accounts, sorted. */
  people: readonly string[];
  /** Groups of accounts that projects name, as they are written there: `group:ml`. */
  groups: readonly string[];
} {
  const { administration, sessions } = useUi().workspace;
  const set = useResult(administration.projects);
  const seen = useResult(sessions);
  const projects = set.status === 'ready' ? set.value.items : [];
  const owners = seen.status === 'ready' ? seen.value.items : [];
  const named = projects.flatMap(({ leads, members, viewers }) => [
    ...members,
    ...leads,
    ...viewers
  ]);
  const names = [...new Set([...named, ...owners.map(({ owner }) => owner)])];
  const isGroup = (name: string) => name.startsWith('group:');
  return {
    projects: projects.map(({ name }) => name).filter(name => !clusterOf(name)),
    people: names.filter(name => !isGroup(name)).sort(),
    groups: names.filter(isGroup).sort()
  };
}
