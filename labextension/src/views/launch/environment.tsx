import React, { useId } from 'react';
import { Environment } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { useResult, useUi } from '../parts/ui';
import { SelectField, TextField } from './fields';

/** Where it works. */
export function FolderField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const inContainer = about.status === 'ready' && !about.value.local_files;
  return (
    <TextField
      model={model}
      name="folder"
      label={trans.__('Folder')}
      placeholder={inContainer ? '' : '/'}
      help={
        inContainer
          ? trans.__('Absolute, in the container; empty for its default.')
          : trans.__('Relative to the server root, or absolute.')
      }
      spellCheck={false}
    />
  );
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

/** Which Python or image it uses. */
export function EnvironmentField({
  model
}: {
  model: LaunchModel;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.environments);
  const known = result.status === 'ready' ? result.value.environments : [];
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
