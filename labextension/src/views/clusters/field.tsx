import { closeIcon, HTMLSelect } from '@jupyterlab/ui-components';
import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Template } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { Field, IControl, TextField } from '../launch/fields';
import { IconButton } from '../parts/controls';
import { useResult, useUi } from '../parts/ui';

/** The clusters and templates that are tried one after the other. */
export default function PlacesField(props: {
  model: LaunchModel;
  clusters: readonly string[];
}): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const names = readNames(model.draft.on);
  return (
    <>
      <Field
        model={model}
        name="on"
        label={trans.__('Clusters')}
        help={
          names.length
            ? trans.__(
                'The next is tried when the session does not start in time. It waits in the last without limit.'
              )
            : trans.__('Without any, the project decides.')
        }
      >
        {control => <Rows {...props} names={names} control={control} />}
      </Field>
      {names.length > 1 ? (
        <TextField
          model={model}
          name="on_wait"
          label={trans.__('Wait in each for')}
          placeholder={trans.__('Default')}
          help={trans.__('E.g. 10m, 2h')}
          spellCheck={false}
        />
      ) : null}
    </>
  );
}

function Rows(props: {
  model: LaunchModel;
  clusters: readonly string[];
  names: readonly string[];
  control: IControl;
}): JSX.Element {
  const { clusters, control, model, names } = props;
  const { workspace, trans } = useUi();
  const result = useResult(workspace.resource('templates'));
  const templates = result.status === 'ready' ? result.value.items : [];
  const choices = choicesOf(trans, clusters, templates);
  const put = (next: readonly string[]) => model.set({ on: next.join('\n') });
  return (
    <div className="jp-GpuQuota-dataLines">
      {names.map((name, index) => (
        <div key={index} className="jp-GpuQuota-withButton">
          <HTMLSelect
            {...(index ? {} : control)}
            aria-label={trans.__('Cluster %1', index + 1)}
            value={name}
            onChange={event =>
              put(
                names.map((each, at) =>
                  at === index ? event.target.value : each
                )
              )
            }
          >
            {withName(choices, name).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </HTMLSelect>
          <IconButton
            icon={closeIcon}
            label={trans.__('Do not try cluster %1', index + 1)}
            onClick={() => put(names.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <button
        type="button"
        className="jp-GpuQuota-button"
        {...(names.length ? {} : control)}
        aria-label={trans.__('Add a cluster')}
        onClick={() => put([...names, nextName(choices, names)])}
      >
        {trans.__('Add a cluster')}
      </button>
    </div>
  );
}

type Choice = readonly [name: string, label: string];

function choicesOf(
  trans: TranslationBundle,
  clusters: readonly string[],
  templates: readonly Template[]
): Choice[] {
  const known = new Set(clusters);
  return [
    ...clusters.map(name => [name, name] as const),
    ...templates
      .filter(({ name }) => !known.has(name))
      .map(
        ({ name, title }) =>
          [name, trans.__('Template: %1', title || name)] as const
      )
  ];
}

/** Return the choices with what was chosen before and is not known any more. */
function withName(choices: readonly Choice[], name: string): readonly Choice[] {
  return choices.some(([known]) => known === name)
    ? choices
    : [...choices, [name, name]];
}

/** Return what is likely wanted next: the first that is not in the list. */
function nextName(
  choices: readonly Choice[],
  names: readonly string[]
): string {
  const found = choices.find(([name]) => !names.includes(name)) ?? choices[0];
  return found[0];
}

function readNames(text: string): readonly string[] {
  return text ? text.split('\n') : [];
}
