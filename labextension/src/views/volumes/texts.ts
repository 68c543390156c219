import { TranslationBundle } from '@jupyterlab/translation';
import { AccessMode, Volume, VolumeState, VolumeUse } from '../../api/models';
import { Table, textOf } from '../../api/vocabulary';
import { bytesText } from '../parts/amounts';

/** Return how full a volume is: `1.2 GiB of 10 GiB`. */
export function fillText(
  trans: TranslationBundle,
  { kind, size, used }: Volume
): string {
  if (used === null) {
    return size
      ? bytesText(size)
      : kind === 'folder'
        ? trans.__('no limit')
        : '';
  }
  return size
    ? trans.__('%1 of %2', bytesText(used), bytesText(size))
    : trans.__('%1 used', bytesText(used));
}

export function volumeStateText(
  trans: TranslationBundle,
  { state }: Volume
): string {
  const texts: Table<VolumeState, string> = {
    ready: trans.__('ready'),
    pending: trans.__('not made yet'),
    lost: trans.__('lost'),
    removing: trans.__('being deleted')
  };
  return textOf(texts, state);
}

/** Return what an access mode allows. */
export function modeText(trans: TranslationBundle, mode: AccessMode): string {
  const texts: Table<AccessMode, string> = {
    RWO: trans.__('RWO: read and write on one node'),
    ROX: trans.__('ROX: read only, on many nodes'),
    RWX: trans.__('RWX: read and write on many nodes'),
    RWOP: trans.__('RWOP: read and write in one session')
  };
  return textOf(texts, mode);
}

/** Return who mounts a volume, and how: `exp-1 (ana) at /data, read-only`. */
export function useText(trans: TranslationBundle, use: VolumeUse): string {
  const { name, owner, path, read_only, state } = use;
  const who = owner ? trans.__('%1 (%2)', name, owner) : name;
  return [
    path ? trans.__('%1 at %2', who, path) : who,
    read_only ? trans.__('read-only') : '',
    state && state !== 'running' ? state : ''
  ]
    .filter(Boolean)
    .join(', ');
}

/** Return in one line who mounts a volume. */
export function usesText(trans: TranslationBundle, { uses }: Volume): string {
  const [first] = uses;
  return !first
    ? trans.__('Not mounted')
    : uses.length === 1
      ? trans.__('Mounted by %1', useText(trans, first))
      : trans._n(
          'Mounted by %2 and %1 other',
          'Mounted by %2 and %1 others',
          uses.length - 1,
          first.name
        );
}

/** Return where a volume can be reached; empty for everywhere. */
export function placesText({ nodes, zones }: Volume): string {
  return [...nodes, ...zones].join(', ');
}

/** Return why a volume is not ready, or what is wrong with it. */
export function problemText(trans: TranslationBundle, volume: Volume): string {
  const { reason, state } = volume;
  const said = [reason?.message, reason?.hint].filter(Boolean).join(' ');
  return said || (state === 'ready' ? '' : volumeStateText(trans, volume));
}
