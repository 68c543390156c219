import { Version } from '../../api/models';

/** Digits of a version's id that are shown, as everywhere else. */
const SHOWN = 12;

/** Return the beginning of a version's id. */
export function shortId({ id }: Pick<Version, 'id'>): string {
  return id.slice(0, SHOWN);
}

/** Return how a version is referred to in a command: by a tag, or else by its id. */
export function referenceTo({
  dataset,
  id,
  tags
}: Pick<Version, 'dataset' | 'id' | 'tags'>): string {
  return `${dataset}@${tags[0] ?? shortId({ id })}`;
}

/** Return Python code that finds the folder of a version. */
export function pythonSnippet(reference: string): string {
  return [
    'from jupyter_gpuquota import Client',
    '',
    `folder = Client().datasets.path("${reference}")`
  ].join('\n');
}

/** Return the shell command that prints the folder of a version. */
export function shellSnippet(reference: string): string {
  return `jupyter gpu data path ${reference}`;
}

/** What a line of the launch form names: `NAME@REF[:/path]`. */
export interface IMount {
  readonly dataset: string;
  readonly ref: string;
  readonly path: string;
}

/** Read `NAME[@REF][:/path]`; a reference that is missing is `latest`. */
export function mountOf(text: string): IMount {
  const [, dataset = '', ref, path = ''] =
    /^([^@:]*)(?:@([^:]*))?(?::(.*))?$/.exec(text.trim()) ?? [];
  return { dataset: dataset.trim(), ref: ref?.trim() || 'latest', path };
}

/** Find the version that a reference names: `latest`, a tag, or the beginning of an id. */
export function resolve(
  ref: string,
  versions: readonly Version[]
): Version | undefined {
  if (ref === 'latest') {
    return versions[0];
  }
  const tagged = versions.find(({ tags }) => tags.includes(ref));
  const begun = versions.filter(({ id }) => id.startsWith(ref));
  return tagged ?? (begun.length === 1 ? begun[0] : undefined);
}
