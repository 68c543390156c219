import { closeIcon, HTMLSelect } from '@jupyterlab/ui-components';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useRef } from 'react';
import { FieldProblem, Template } from '../../api/models';
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
  const fields = {
    draft: model.draft,
    problemsOf: () =>
      model.problemsOf('on').map(problem => withPlace(trans, problem, names)),
    set: model.set.bind(model)
  };
  return (
    <>
      <Field
        model={fields}
        name="on"
        label={trans.__('Clusters')}
        help={helpText(trans, names.length)}
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

function helpText(trans: TranslationBundle, count: number): string {
  switch (count) {
    case 0:
      return trans.__('Without any, the project decides.');
    case 1:
      return trans.__(
        'Add another to try when the session does not start in time.'
      );
    default:
      return trans.__(
        'The next is tried when the session does not start in time. It waits in the last without limit.'
      );
  }
}

/** The number of the place that a problem is of, and what is said of it there. */
const OF_PLACE = /^on\[(\d+)\](\..)?/;

/** Return a problem; what is wrong at one of the places names it. */
function withPlace(
  trans: TranslationBundle,
  problem: FieldProblem,
  names: readonly string[]
): FieldProblem {
  const [, index, isInside] = OF_PLACE.exec(problem.field) ?? [];
  const name = names[Number(index)];
  return isInside && name
    ? { ...problem, message: trans.__('%1: %2', name, problem.message) }
    : problem;
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
  const broken = new Set(
    model.problemsOf('on').map(({ field }) => OF_PLACE.exec(field)?.[1])
  );
  const adder = useRef<HTMLButtonElement>(null);
  const put = (next: readonly string[]) => model.set({ on: next.join('\n') });
  return (
    <div className="jp-GpuQuota-dataLines">
      {names.map((name, index) => (
        <div key={index} className="jp-GpuQuota-withButton">
          <HTMLSelect
            {...control}
            id={index ? undefined : control.id}
            aria-label={trans.__('Cluster %1', index + 1)}
            aria-invalid={
              // Without a number it is the list that is wrong.
              broken.has(String(index)) || broken.has(undefined) || undefined
            }
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
            onClick={() => {
              put(names.filter((_, at) => at !== index));
              adder.current?.focus(); // this button goes
            }}
          />
        </div>
      ))}
      <button
        ref={adder}
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
