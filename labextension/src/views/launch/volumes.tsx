import { addIcon, closeIcon, HTMLSelect } from '@jupyterlab/ui-components';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useState } from 'react';
import { StorageClass, Volume } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { IN_BACKGROUND } from '../../state/resource';
import {
  IMountRow,
  isNamed,
  lineOf,
  NO_MOUNT,
  readMounts,
  writeMounts
} from '../../state/volumes/mounts';
import { may } from '../../state/volumes/volumes';
import { IconButton } from '../parts/controls';
import { useResult, useUi } from '../parts/ui';
import { useClasses } from '../volumes/classes';
import { fillText } from '../volumes/texts';
import { Field, IControl } from './fields';

/** The volumes that the session mounts, those that are there and new ones. */
export function VolumesField({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  return (
    <Field model={model} name="volumes" label={trans.__('Volumes')}>
      {control => <Rows model={model} control={control} />}
    </Field>
  );
}

function Rows(props: { model: LaunchModel; control: IControl }): JSX.Element {
  const { trans } = useUi();
  const { control, model } = props;
  const { volumes: text } = model.draft;
  const [own, setOwn] = useState<readonly IMountRow[]>(() => readMounts(text));
  // Another part of the form may have named a volume, too.
  const rows = writeMounts(own) === text ? own : readMounts(text);
  const choices = useChoices(model.draft.project);
  const broken = new Set(
    model.problemsOf('volumes').map(({ field }) => lineOf(field))
  );
  const put = (next: readonly IMountRow[]) => {
    setOwn(next);
    model.set({ volumes: writeMounts(next) });
  };
  const named = rows.filter(isNamed);
  return (
    <div className="jp-GpuQuota-dataLines">
      {rows.map((row, index) => (
        <Mount
          key={index}
          {...{ choices, row }}
          number={index + 1}
          control={index ? undefined : control}
          isBroken={broken.has(named.indexOf(row))}
          onChange={changed =>
            put(rows.map((other, at) => (at === index ? changed : other)))
          }
          onRemove={() => put(rows.filter((_, at) => at !== index))}
        />
      ))}
      <button
        type="button"
        className="jp-GpuQuota-button jp-GpuQuota-addMount"
        {...(rows.length ? {} : control)}
        aria-label={trans.__('Mount a volume')}
        onClick={() => put([...rows, NO_MOUNT])}
      >
        <addIcon.react tag="span" aria-hidden="true" />
        {trans.__('Mount a volume')}
      </button>
    </div>
  );
}

interface IChoices {
  readonly volumes: readonly Volume[];
  readonly classes: readonly StorageClass[];
}

/** Return what can be mounted in a project. */
function useChoices(project: string): IChoices {
  const { workspace } = useUi();
  const resource = workspace.resource('volumes');
  useEffect(() => {
    const watcher = resource.watch(IN_BACKGROUND);
    return () => watcher.dispose();
  }, [resource]);
  const quota = useResult(workspace.quota);
  const result = useResult(resource);
  const chosen =
    project || (quota.status === 'ready' ? quota.value.default : '');
  const { classes, items } =
    result.status === 'ready' ? result.value : { classes: [], items: [] };
  return {
    classes: useClasses(chosen, classes),
    volumes: items.filter(
      volume => volume.project === chosen && may(volume, 'mount')
    )
  };
}

/** What is typed, as an example. */
const SIZE = '10Gi';
const PATH = '/data';
/** What a choice begins with that stands for a new volume of a class. */
const NEW = 'new:';

function Mount(props: {
  row: IMountRow;
  number: number;
  choices: IChoices;
  control?: IControl;
  isBroken: boolean;
  onChange: (row: IMountRow) => void;
  onRemove: () => void;
}): JSX.Element {
  const { trans } = useUi();
  const { choices, isBroken, number, onChange, row } = props;
  const invalid = isBroken ? true : undefined;
  const value = row.storageClass ? NEW + row.storageClass : row.volume;
  const choose = (chosen: string) => {
    const isNew = chosen.startsWith(NEW);
    const name = isNew ? chosen.slice(NEW.length) : chosen;
    const volume = choices.volumes.find(each => !isNew && each.name === name);
    onChange({
      ...row,
      volume: isNew ? '' : name,
      storageClass: isNew ? name : '',
      size: isNew ? row.size || SIZE : row.size,
      path: row.path || (isNew ? PATH : name && `/${name}`),
      readOnly: volume?.read_only ?? (!isNew && row.readOnly)
    });
  };
  return (
    <div
      className="jp-GpuQuota-mount"
      role="group"
      aria-label={trans.__('Volume %1', number)}
    >
      <HTMLSelect
        aria-label={trans.__('Volume %1', number)}
        {...props.control}
        aria-invalid={invalid}
        autoFocus={!value} // it has just been added
        value={value}
        onChange={event => choose(event.target.value)}
      >
        <option value="">{trans.__('Choose…')}</option>
        {optionsOf(trans, choices, value).map(([option, label]) => (
          <option key={option} value={option}>
            {label}
          </option>
        ))}
      </HTMLSelect>
      {row.storageClass ? (
        <input
          type="text"
          className="jp-GpuQuota-input jp-mod-size"
          aria-label={trans.__('Size of volume %1', number)}
          aria-invalid={invalid}
          placeholder={SIZE}
          spellCheck={false}
          value={row.size}
          onChange={event => onChange({ ...row, size: event.target.value })}
        />
      ) : null}
      <input
        type="text"
        className="jp-GpuQuota-input"
        aria-label={trans.__('Path of volume %1', number)}
        aria-invalid={invalid}
        placeholder={PATH}
        spellCheck={false}
        value={row.path}
        onChange={event => onChange({ ...row, path: event.target.value })}
      />
      {row.storageClass ? null : (
        <label>
          <input
            type="checkbox"
            aria-label={trans.__('Volume %1 read-only', number)}
            checked={row.readOnly}
            onChange={event =>
              onChange({ ...row, readOnly: event.target.checked })
            }
          />
          {trans.__('read-only')}
        </label>
      )}
      <IconButton
        icon={closeIcon}
        label={trans.__('Do not mount volume %1', number)}
        onClick={props.onRemove}
      />
    </div>
  );
}

/** Return what can be chosen, with labels; also what was typed before and is not known. */
function optionsOf(
  trans: TranslationBundle,
  { classes, volumes }: IChoices,
  value: string
): (readonly [string, string])[] {
  const known = [
    ...volumes.map(volume => {
      const detail = [volume.modes.join(' '), fillText(trans, volume)];
      const label = [volume.name, ...detail].filter(Boolean).join(' · ');
      return [volume.name, label] as const;
    }),
    ...classes.map(
      ({ name }) => [NEW + name, trans.__('New volume: %1', name)] as const
    )
  ];
  return !value || known.some(([option]) => option === value)
    ? known
    : [...known, [value, value.replace(NEW, '')]];
}
