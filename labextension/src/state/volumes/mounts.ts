/** One row of the launch form: a volume that is there, or a new one of a class. */
export interface IMountRow {
  /** The name of a volume; empty for a new one, or while none is chosen. */
  readonly volume: string;
  /** The class of a new volume; empty for one that is there. */
  readonly storageClass: string;
  /** The size of a new volume, as typed. */
  readonly size: string;
  readonly path: string;
  readonly readOnly: boolean;
}

export const NO_MOUNT: IMountRow = {
  volume: '',
  storageClass: '',
  size: '',
  path: '',
  readOnly: false
};

/** Return whether a row names a volume or a class. */
export function isNamed({ storageClass, volume }: IMountRow): boolean {
  return Boolean(volume || storageClass);
}

/** Read the mounts of a request, one a line: `NAME:/path[:ro]` or `CLASS:SIZE:/path`. */
export function readMounts(text: string): IMountRow[] {
  return text
    .split(/[\n,]/)
    .map(line => line.trim())
    .filter(Boolean)
    .map(readMount);
}

function readMount(line: string): IMountRow {
  const [name, second = '', third] = line.split(':');
  return third === undefined || third === 'ro'
    ? {
        ...NO_MOUNT,
        volume: name,
        path: second,
        readOnly: third === 'ro'
      }
    : { ...NO_MOUNT, storageClass: name, size: second, path: third };
}

/** Write rows as they are sent; those that name nothing are left out. */
export function writeMounts(rows: readonly IMountRow[]): string {
  return rows
    .filter(isNamed)
    .map(({ path, readOnly, size, storageClass, volume }) =>
      storageClass
        ? [storageClass, size.trim(), path.trim()].join(':')
        : [volume, path.trim(), ...(readOnly ? ['ro'] : [])].join(':')
    )
    .join('\n');
}

/** Return which line of the request is wrong: 1 of `volumes[1].path`; undefined for all of them. */
export function lineOf(field: string): number | undefined {
  const [, index] = /^volumes\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? undefined : Number(index);
}
