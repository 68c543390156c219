import { useMemo } from 'react';
import { useResult, useUi } from './ui';

/** Return a session's name by its id; one that is not there any more has none but its id. */
export type NameOf = (id: string) => string;

/** Know the names of the sessions that there are. */
export function useSessionNames(): NameOf {
  const result = useResult(useUi().quota.sessions);
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
