import React, { useEffect } from 'react';
import { StorageClass, Volume } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { clusterOf } from '../../state/quota';
import { boxOf } from '../../state/settings/formvalues';
import { askClasses, VolumeActions } from '../../state/volumes/actions';
import {
  classOf,
  FOLDER,
  NEW_VOLUME,
  toChange,
  toRequest,
  typedSize
} from '../../state/volumes/volumes';
import { CheckField, SelectField, TextField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { useClasses } from './classes';
import { modeText } from './texts';

const MODES = ['RWX', 'RWO', 'ROX', 'RWOP'] as const;

/** Ask for a new volume, or a clone of one, and create it. */
export async function createVolume(
  ui: IUi,
  actions: VolumeActions,
  classes: readonly StorageClass[],
  source?: Volume
): Promise<void> {
  const { trans, workspace } = ui;
  const { quota } = workspace;
  const known = quota.result.status === 'ready' ? quota.result.value : null;
  const model = new FormModel(
    {
      ...NEW_VOLUME,
      project: source?.project ?? known?.default ?? '',
      storage_class: source?.storage_class ?? classOf(classes, '')?.name ?? '',
      size: source ? typedSize(source.size) : ''
    },
    draft => actions.create(toRequest(draft, source))
  );
  const { result } = workspace.about;
  const isLocal = result.status === 'ready' && result.value.local_files;
  await showForm(ui, {
    title: source ? trans.__('Clone %1', source.name) : trans.__('New volume'),
    label: trans.__('Create'),
    model,
    fields: () => (
      <NewFields
        {...{ classes, model, ui }}
        projects={known?.mine ?? []}
        isCloning={Boolean(source)}
        isLocal={isLocal}
      />
    )
  });
}

function NewFields(props: {
  ui: IUi;
  model: FormModel<keyof typeof NEW_VOLUME, Volume>;
  classes: readonly StorageClass[];
  projects: readonly string[];
  isCloning: boolean;
  isLocal: boolean;
}): JSX.Element {
  const { isCloning, model, projects } = props;
  const { trans } = props.ui;
  const { project, storage_class: kind } = model.draft;
  const classes = useClasses(project, props.classes);
  const isLocal = props.isLocal && !clusterOf(project);
  const chosen = classOf(classes, kind);
  const isFolder = kind === FOLDER;
  useEffect(() => {
    // Another cluster has other classes, and no folders of this machine.
    if (classes.length && !chosen && !(isFolder && isLocal)) {
      model.set({
        storage_class: classOf(classes, '')?.name ?? classes[0].name
      });
    }
  }, [classes, chosen, isFolder, isLocal]);
  const modes = chosen?.modes.length ? chosen.modes : MODES;
  const label = ({ name, waits }: StorageClass) =>
    waits ? trans.__('%1 (made when first mounted)', name) : name;
  return (
    <>
      <TextField model={model} name="name" label={trans.__('Name')} />
      {isCloning ? null : (
        <SelectField
          model={model}
          name="project"
          label={trans.__('Project')}
          choices={projects.map(value => ({ value, label: value }))}
        />
      )}
      <SelectField
        model={model}
        name="storage_class"
        label={trans.__('Class')}
        choices={[
          ...classes.map(each => ({ value: each.name, label: label(each) })),
          ...(isLocal && !isCloning
            ? [{ value: FOLDER, label: trans.__('an existing folder') }]
            : [])
        ]}
      />
      {isFolder ? (
        <TextField
          model={model}
          name="folder"
          label={trans.__('Folder')}
          placeholder="/"
          spellCheck={false}
        />
      ) : null}
      <TextField
        model={model}
        name="size"
        label={trans.__('Size')}
        placeholder={trans.__('E.g. 10Gi')}
        spellCheck={false}
      />
      {isLocal ? null : (
        <SelectField
          model={model}
          name="mode"
          label={trans.__('Access')}
          choices={[
            { value: '', label: trans.__('default of the class') },
            ...modes.map(value => ({ value, label: modeText(trans, value) }))
          ]}
        />
      )}
      <Level {...props} chosen={chosen} />
      <TextField
        model={model}
        name="description"
        label={trans.__('Description')}
      />
    </>
  );
}

/** The service level, where the driver has some. */
function Level(props: {
  ui: IUi;
  model: Parameters<typeof SelectField<'level'>>[0]['model'];
  chosen: StorageClass | undefined;
}): JSX.Element | null {
  const { trans } = props.ui;
  const levels = props.chosen?.levels ?? [];
  return levels.length ? (
    <SelectField
      model={props.model}
      name="level"
      label={trans.__('Service level')}
      choices={[
        { value: '', label: trans.__('default') },
        ...levels.map(value => ({ value, label: value }))
      ]}
    />
  ) : null;
}

/** Ask what to change of a volume, and change it. */
export async function changeVolume(
  ui: IUi,
  actions: VolumeActions,
  classes: readonly StorageClass[],
  volume: Volume
): Promise<void> {
  const { trans } = ui;
  const { description, level, name, read_only, size } = volume;
  const before = {
    size: typedSize(size),
    level,
    description,
    read_only: boxOf(read_only)
  };
  const model = new FormModel(before, draft =>
    actions.change(volume, toChange(draft, before))
  );
  const { project, storage_class: kind } = volume;
  const there = clusterOf(project)
    ? await askClasses(ui.workspace, project)
    : classes;
  const chosen = classOf(there, kind);
  await showForm(ui, {
    title: trans.__('Change %1', name),
    label: trans.__('Save'),
    model,
    fields: () => (
      <>
        <TextField
          model={model}
          name="size"
          label={trans.__('Size')}
          help={
            chosen && !chosen.expandable
              ? trans.__('Volumes of class %1 cannot grow.', chosen.name)
              : trans.__('A volume can grow, not shrink.')
          }
          spellCheck={false}
        />
        <Level {...{ chosen, model, ui }} />
        <TextField
          model={model}
          name="description"
          label={trans.__('Description')}
        />
        <CheckField
          model={model}
          name="read_only"
          label={trans.__('Read-only for all sessions')}
        />
      </>
    )
  });
}

/** Ask whether a volume is to be deleted, and delete it; a refusal says who mounts it. */
export async function deleteVolume(
  ui: IUi,
  actions: VolumeActions,
  volume: Volume
): Promise<void> {
  const { trans } = ui;
  const model = new FormModel({}, async () => {
    await actions.delete(volume);
    return true;
  });
  await showForm(ui, {
    title: trans.__('Delete %1?', volume.name),
    label: trans.__('Delete'),
    isWarning: true,
    model,
    fields: () => (
      <p>
        {volume.registered
          ? trans.__('Its files stay in %1.', volume.folder)
          : trans.__('Its files are deleted and cannot be restored.')}
      </p>
    )
  });
}
