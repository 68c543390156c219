import { GpuList, GpuProgram, GpuUse } from '../../api/models';

/** What one session, or one account outside sessions, has on a GPU. */
export interface IGpuUser {
  readonly session: string;
  readonly owner: string;
  /** Different names of its programs; empty if they are not shown. */
  readonly names: readonly string[];
  /** How many processes are known; a pod has any number of them. */
  readonly count: number;
  /** In MiB; null if it is unknown for one of its programs. */
  readonly memory: number | null;
}

/** The measurements of one or several GPUs; null for what is unknown of all. */
export interface IGpuSum {
  readonly utilisation: number | null;
  readonly used: number | null;
  readonly memory: number;
  readonly temperature: number | null;
}

/** Return the GPUs that matter to a user: one's own, or all where nothing is shared out. */
export function gpusInView(
  list: GpuList,
  isUndivided: boolean
): readonly GpuUse[] {
  return isUndivided ? list.items : list.items.filter(({ mine }) => mine);
}

/** Group the programs on a GPU by session, and those outside sessions by account. */
export function gpuUsers({ programs }: GpuUse): IGpuUser[] {
  const groups = new Map<string, GpuProgram[]>();
  for (const program of programs) {
    const key = program.session || `outside ${program.owner}`;
    groups.set(key, [...(groups.get(key) ?? []), program]);
  }
  return [...groups.values()].map(group => ({
    session: group[0].session,
    owner: group[0].owner,
    names: [...new Set(group.map(({ name }) => name))].filter(Boolean),
    count: group.filter(({ pid }) => pid !== null).length,
    memory: group.reduce<number | null>(
      (sum, { memory }) =>
        sum === null || memory === null ? null : sum + memory,
      0
    )
  }));
}

/** Sum several GPUs up: their mean utilisation, all of their memory, and the hottest. */
export function sumUp(gpus: readonly GpuUse[]): IGpuSum {
  const percents = known(gpus.map(({ utilisation }) => utilisation));
  const used = known(gpus.map(({ memory_used }) => memory_used));
  const degrees = known(gpus.map(({ temperature }) => temperature));
  return {
    utilisation: percents.length ? mean(percents) : null,
    used: used.length ? used.reduce((sum, each) => sum + each) : null,
    memory: gpus.reduce((sum, { memory }) => sum + memory, 0),
    temperature: degrees.length ? Math.max(...degrees) : null
  };
}

/** Return the rounded mean of some numbers. */
export function mean(values: readonly number[]): number {
  return Math.round(
    values.reduce((sum, each) => sum + each, 0) / values.length
  );
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter(value => value !== null);
}
