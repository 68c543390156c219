import { TranslationBundle } from '@jupyterlab/translation';
import { folderIcon } from '@jupyterlab/ui-components';
import React, { useId } from 'react';
import { Environment } from '../../api/models';
import { routes } from '../../api/routes';
import { LaunchModel } from '../../state/launch';
import { clusterOf } from '../../state/quota';
import { IconButton } from '../parts/controls';
import { report } from '../parts/report';
import { useAnswer, useResult, useUi } from '../parts/ui';
import { SelectField, TextField } from './fields';

/** Lets the user choose a folder, at first shown as given; null if none was chosen. */
export type ChooseFolder = (from: string) => Promise<string | null>;

/** Where it works. */
export function FolderField(props: {
  model: LaunchModel;
  choose?: ChooseFolder;
}): JSX.Element {
  const { model, choose } = props;
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const inContainer = about.status === 'ready' && !about.value.local_files;
  const field = {
    model,
    name: 'folder',
    label: trans.__('Folder'),
    placeholder: inContainer ? '' : '/',
    help: inContainer
      ? trans.__('Absolute, in the container; empty for its default.')
      : trans.__('Relative to the server root, or absolute.'),
    spellCheck: false
  } as const;
  return inContainer || !choose ? (
    <TextField {...field} />
  ) : (
    <TextField {...field}>
      <IconButton
        icon={folderIcon}
        label={trans.__('Browse…')}
        onClick={() => void chooseInto(model, choose, trans)}
      />
    </TextField>
  );
}

async function chooseInto(
  model: LaunchModel,
  choose: ChooseFolder,
  trans: TranslationBundle
): Promise<void> {
  try {
    const folder = await choose(model.draft.folder.trim());
    if (folder !== null && !model.isDisposed) {
      model.set({ folder });
    }
  } catch (error) {
    report(trans, error);
  }
}

/** An image: one that is listed, or any other that the administrator allows. */
function ImageField(props: {
  model: LaunchModel;
  known: readonly Environment[];
}): JSX.Element {
  const { trans } = useUi();
  const list = useId();
  const preset = props.known.find(environment => environment.default);
  return (
    <>
      <TextField
        model={props.model}
        name="environment"
        label={trans.__('Image')}
        placeholder={preset?.label}
        help={trans.__('A listed environment, or the name of an image.')}
        list={list}
        spellCheck={false}
      />
      <datalist id={list}>
        {props.known.map(({ id, label }) => (
          <option key={id} value={id} label={label} />
        ))}
      </datalist>
    </>
  );
}

/** Return the environments of a project's cluster. */
function useEnvironments(project: string): readonly Environment[] {
  const { workspace } = useUi();
  const quota = useResult(workspace.quota);
  const usual = quota.status === 'ready' ? quota.value.default : '';
  const cluster = clusterOf(project || usual);
  const own = useResult(workspace.environments);
  const others = useAnswer(cluster, () =>
    workspace.call(routes.environmentsList, {
      query: { project: project || usual }
    })
  );
  const result = cluster ? others : own;
  return result.status === 'ready' ? result.value.environments : [];
}

/** Which Python or image it uses. */
export function EnvironmentField({
  model
}: {
  model: LaunchModel;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const known = useEnvironments(model.draft.project);
  const command = model.draft.command.trim() !== '';
  const about = useResult(workspace.about);
  const inContainer = about.status === 'ready' && about.value.containers;
  if (inContainer || known.some(({ image }) => image)) {
    return <ImageField model={model} known={known} />;
  }
  return (
    <SelectField
      model={model}
      name="environment"
      label={trans.__('Environment')}
      value={known.find(environment => environment.default)?.id}
      choices={known.map(({ id, label, problem }) => ({
        value: id,
        label,
        // A command needs no Jupyter Server.
        problem: command ? '' : problem
      }))}
    />
  );
}
