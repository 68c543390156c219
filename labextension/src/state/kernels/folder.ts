import { Session, Volume } from '../../api/models';
import { may } from '../volumes/volumes';

/** Return where a volume is mounted unless the user says otherwise. */
export function defaultPath(volume: string): string {
  return `/mnt/${volume}`;
}

/**
 * Return the volumes that a session could mount besides its own.
 *
 * Those that have a folder come first, as far as their own folders are known.
 */
export function mountable(
  volumes: readonly Volume[],
  { spec }: Session,
  folder: string
): Volume[] {
  const mounted = new Set(spec.volumes?.map(({ volume }) => volume));
  const has = (volume: Volume) =>
    Boolean(volume.folder) && `${folder}/`.startsWith(`${volume.folder}/`);
  return volumes
    .filter(
      volume =>
        volume.project === spec.project &&
        may(volume, 'mount') &&
        !mounted.has(volume.name)
    )
    .sort((a, b) => Number(has(b)) - Number(has(a)));
}
