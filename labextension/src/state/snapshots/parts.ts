import { Manifest } from '../../api/models';

/** The parts of a snapshot, in the order in which they are shown. */
export const PARTS = [
  'tree',
  'notebooks',
  'git',
  'environment',
  'data',
  'volumes',
  'artifacts',
  'logs',
  'metrics',
  'mlflow',
  'kernel'
] as const;

export type Part = (typeof PARTS)[number];

/** What a snapshot notes, though nothing of it failed. */
export const NOTES: readonly string[] = [
  'env',
  'left out',
  'unread',
  'written'
];

/**
 * How a part of a snapshot is: stored, stored in part, missing, nothing to store, or only a note on
 * what was left out by rule or was written meanwhile.
 */
export type PartState = 'stored' | 'partly' | 'missing' | 'none' | 'noted';

/** One part of a snapshot, with what is wrong with it. */
export interface IPart {
  readonly part: Part | string;
  readonly state: PartState;
  readonly problems: readonly string[];
}

/** Return how each part of a snapshot is, those of newer servers last. */
export function partsOf(manifest: Manifest): IPart[] {
  const problems = new Map<string, string[]>();
  for (const { message, part } of manifest.problems) {
    const [head, ...rest] = part.split(':');
    const path = rest.join(':');
    const said = path ? `${path}: ${message}` : message;
    problems.set(head, [...(problems.get(head) ?? []), said]);
  }
  const others = [...problems.keys()].filter(
    head => !(PARTS as readonly string[]).includes(head)
  );
  return [...PARTS, ...others].map(part => {
    const found = problems.get(part) ?? [];
    const isThere = has(manifest, part);
    const state = isThere
      ? found.length
        ? 'partly'
        : 'stored'
      : found.length
        ? NOTES.includes(part)
          ? 'noted'
          : 'missing'
        : 'none';
    return { part, state, problems: found };
  });
}

function has(manifest: Manifest, part: string): boolean {
  const { environment } = manifest;
  switch (part) {
    case 'tree':
      return Boolean(manifest.tree);
    case 'environment':
      return Boolean(environment.python || environment.image);
    case 'metrics':
      return Object.keys(manifest.metrics).length > 0;
    case 'mlflow':
      return Boolean(manifest.mlflow_run);
    case 'kernel':
      return Boolean(manifest.kernel);
    case 'torn':
      return true;
    case 'notebooks':
    case 'git':
    case 'data':
    case 'volumes':
    case 'artifacts':
    case 'logs':
      return manifest[part].length > 0;
    default:
      return false;
  }
}
