import { ProjectUse, Session } from '../api/models';
import { milliOf } from './dashboard';

/** Queued sessions that wait for the same. */
export interface IQueuedGroup {
  /** A reason's code; empty before the first scheduling round. */
  readonly code: string;
  /** Whose quota or limit they wait for; empty where they wait for something else. */
  readonly project: string;
  readonly sessions: readonly Session[];
}

/** Reasons that concern the project, not the machine. */
const OF_PROJECT = ['OverQuota', 'OverLimit', 'QueueMissing'];

/** Return queued sessions by project, in the order of their places in its queue. */
export function inLine(sessions: readonly Session[]): Session[] {
  const place = ({ queue_position }: Session) => queue_position || Infinity;
  return sessions
    .filter(({ state }) => state === 'waiting')
    .sort(
      (a, b) =>
        a.spec.project.localeCompare(b.spec.project) ||
        // Two without a place: the difference of infinities is not a number.
        place(a) - place(b) ||
        Date.parse(a.since) - Date.parse(b.since)
    );
}

/** Group queued sessions by what they wait for, the largest group first. */
export function groupQueued(sessions: readonly Session[]): IQueuedGroup[] {
  const groups = new Map<string, IQueuedGroup & { sessions: Session[] }>();
  for (const session of inLine(sessions)) {
    const code = session.reason?.code ?? '';
    const project = OF_PROJECT.includes(code) ? session.spec.project : '';
    const key = `${code} ${project}`;
    const group = groups.get(key) ?? { code, project, sessions: [] };
    group.sessions.push(session);
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => b.sessions.length - a.sessions.length
  );
}

/**
 * Return how much sessions hold beyond their project's quota, by id, in milli-GPU.
 *
 * That is what is reclaimed first: what has a low priority, then what was started last.
 */
export function borrowedBy(
  sessions: readonly Session[],
  projects: readonly ProjectUse[]
): ReadonlyMap<string, number> {
  const borrowed = new Map<string, number>();
  for (const { name, over, preemptible } of projects) {
    let rest = over;
    const started = (session: Session) =>
      Date.parse(session.started ?? session.since);
    const own = sessions
      .filter(
        ({ placement, spec }) =>
          placement?.slices.length &&
          spec.project === name &&
          preemptible?.includes(spec.kind)
      )
      .sort(
        (a, b) => a.spec.priority - b.spec.priority || started(b) - started(a)
      );
    for (const session of own) {
      const part = Math.min(rest, milliOf(session));
      if (part > 0) {
        borrowed.set(session.id, part);
        rest -= part;
      }
    }
  }
  return borrowed;
}
