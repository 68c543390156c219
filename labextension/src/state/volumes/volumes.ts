import {
  StorageClass,
  Volume,
  VolumeAction,
  VolumeChange,
  VolumeRequest
} from '../../api/models';
import { canonicalNumber } from '../numbers';
import { YES } from '../settings/formvalues';

/** A volume is found by its project and its name. */
export function idOf({ name, project }: Volume): string {
  return `${project}/${name}`;
}

/** Return whether a user may do something to a volume. */
export function may({ actions }: Volume, action: VolumeAction): boolean {
  return actions.includes(action);
}

/** Return the volumes that have all words of a filter. */
export function matching(
  volumes: readonly Volume[],
  filter: string
): readonly Volume[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return volumes.filter(volume => {
    const { description, name, owner, project, storage_class: kind } = volume;
    const users = volume.uses.map(use => `${use.name} ${use.owner}`);
    const text = [name, project, owner, kind, description, ...users]
      .join('\n')
      .toLowerCase();
    return words.every(word => text.includes(word));
  });
}

/** What the form of a new volume holds. */
export const NEW_VOLUME = {
  name: '',
  project: '',
  storage_class: '',
  size: '',
  mode: '',
  level: '',
  folder: '',
  description: ''
};

export type NewVolumeDraft = Readonly<typeof NEW_VOLUME>;

/** Return what is sent to create a volume; `source` is one to clone. */
export function toRequest(
  draft: NewVolumeDraft,
  source?: Volume
): VolumeRequest {
  const isFolder = draft.storage_class === FOLDER;
  return {
    ...draft,
    name: draft.name.trim(),
    size: canonicalNumber(draft.size),
    storage_class: isFolder ? '' : draft.storage_class,
    folder: isFolder ? draft.folder.trim() : '',
    ...(source ? { source: `volume:${source.name}` } : {})
  };
}

/** What stands for an existing folder among the classes. */
export const FOLDER = ' folder';

/** What can be changed of a volume, as it is typed. */
export type ChangeField = 'size' | 'level' | 'description' | 'read_only';

/** Return those values that differ from what the form began with. */
export function toChange(
  draft: Readonly<Record<ChangeField, string>>,
  before: Readonly<Record<ChangeField, string>>
): VolumeChange {
  const isNew = (name: ChangeField) => draft[name] !== before[name];
  return {
    ...(isNew('size') ? { size: canonicalNumber(draft.size) } : {}),
    ...(isNew('level') ? { level: draft.level } : {}),
    ...(isNew('description') ? { description: draft.description.trim() } : {}),
    ...(isNew('read_only') ? { read_only: draft.read_only === YES } : {})
  };
}

/** Write a size as it is typed: `10Gi`; empty without a limit. */
export function typedSize(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let power = 0;
  let value = bytes;
  while (value && value % 1024 === 0 && power < units.length - 1) {
    value /= 1024;
    power += 1;
  }
  return value ? `${value}${units[power]}` : '';
}

/** Return the class that a volume has or a form has chosen. */
export function classOf(
  classes: readonly StorageClass[],
  name: string
): StorageClass | undefined {
  return classes.find(item => (name ? item.name === name : item.default));
}
