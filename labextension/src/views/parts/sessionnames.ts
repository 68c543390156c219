import { useMemo } from 'react';
import { useResult, useUi } from './ui';

/** Return a session's name by its id; one that is not there any more has none but its id. */
export type NameOf = (id: string) => string;

/** Return the names of all known sessions. */
export function useSessionNames(): NameOf {
  const result = useResult(useUi().workspace.sessions);
  const items = result.status === 'ready' ? result.value.items : undefined;
  return useMemo(() => {
    const names = new Map(items?.map(({ id, spec }) => [id, spec.name]));
    return id => names.get(id) ?? id;
  }, [items]);
}

/** Name whom an exemption is for, a session by its name. */
export function whoText(who: string, nameOf: NameOf): string {
  const [, id] = /^session:(.+)$/.exec(who) ?? [];
  return id ? `session:${nameOf(id)}` : who;
}
