import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId } from 'react';
import { Nodes } from '../../api/models';
import { IShareDraft, PRESETS } from '../../state/draft';
import { gpus, memory } from '../parts/texts';
import { IFields, Problems, SelectField, TextField } from './fields';
import { useResult, useUi } from '../parts/ui';

const STEPS = Array.from({ length: 20 }, (_, index) => String(5 * (index + 1)));
const SHARES = ['gpu', 'memory', 'mig', 'compute'] as const;

type Model = IFields<keyof IShareDraft>;

/** The fields for a share of a GPU: presets, or exact amounts. */
export function ShareFields(props: {
  model: Model;
  /** Whether no share at all is none of the choices. */
  isGpuOnly?: boolean;
}): JSX.Element {
  const { model } = props;
  const { workspace, trans } = useUi();
  const nodes = useResult(workspace.nodes);
  const cards = nodes.status === 'ready' ? cardsOf(nodes.value) : [];
  const id = useId();
  const custom = model.draft.preset === 'custom';
  // What the visible controls do not show themselves.
  const problems = custom ? [] : SHARES.flatMap(name => model.problemsOf(name));
  return (
    <fieldset
      className="jp-GpuQuota-field"
      aria-describedby={problems.length ? id : undefined}
    >
      <legend>{trans.__('GPU')}</legend>
      <div className="jp-GpuQuota-presets">
        {PRESETS.filter(preset => !props.isGpuOnly || preset !== 'none').map(
          preset => (
            <label key={preset}>
              <input
                type="radio"
                name="preset"
                value={preset}
                checked={model.draft.preset === preset}
                onChange={() => model.set({ preset })}
                aria-describedby={`${id}-${preset}`}
              />
              <span>
                {presetText(trans, preset)}
                <small id={`${id}-${preset}`} aria-hidden="true">
                  {memoryText(Number(preset) * 1000, cards)}
                </small>
              </span>
            </label>
          )
        )}
      </div>
      {custom ? <CustomShare model={model} /> : null}
      <Problems id={id} problems={problems} />
    </fieldset>
  );
}

function presetText(
  trans: TranslationBundle,
  preset: (typeof PRESETS)[number]
): string {
  return {
    '0.25': '¼',
    '0.5': '½',
    '1': '1',
    '2': '2',
    none: trans.__('CPU only'),
    custom: trans.__('Custom…')
  }[preset];
}

function CustomShare(props: { model: Model }): JSX.Element {
  const { model } = props;
  const { workspace, trans } = useUi();
  const nodes = useResult(workspace.nodes);
  const profiles = nodes.status === 'ready' ? migProfiles(nodes.value) : [];
  const forms = [
    { value: 'gpu', label: trans.__('Fraction or number of GPUs') },
    { value: 'memory', label: trans.__('Amount of GPU memory') }
  ];
  if (profiles.length) {
    forms.push({ value: 'mig', label: trans.__('MIG instance') });
  }
  return (
    <div className="jp-GpuQuota-custom">
      <SelectField
        model={model}
        name="form"
        label={trans.__('Specify by')}
        choices={forms}
      />
      <Amount model={model} profiles={profiles} />
      {model.draft.form === 'mig' ? null : (
        <SelectField
          model={model}
          name="compute"
          label={trans.__('Compute')}
          choices={[
            { value: '', label: trans.__('No separate limit') },
            ...STEPS.map(value => ({ value, label: trans.__('%1 %', value) }))
          ]}
        />
      )}
    </div>
  );
}

function Amount(props: {
  model: Model;
  profiles: readonly string[];
}): JSX.Element {
  const { model, profiles } = props;
  const { trans } = useUi();
  switch (model.draft.form) {
    case 'memory':
      return (
        <TextField
          model={model}
          name="memory"
          label={trans.__('GPU memory')}
          help={trans.__('E.g. 8Gi; a plain number is MiB')}
        />
      );
    case 'mig':
      return (
        <SelectField
          model={model}
          name="mig"
          label={trans.__('MIG profile')}
          choices={[
            { value: '', label: trans.__('Choose…') },
            ...profiles.map(value => ({ value, label: value }))
          ]}
        />
      );
    default:
      return (
        <TextField
          model={model}
          name="gpu"
          label={trans.__('GPUs')}
          help={trans.__('%1 to 1, or a whole number', gpus(1))}
          inputMode="decimal"
        />
      );
  }
}

/** Return the sizes of the GPUs that can be had, in MiB, in rising order. */
function cardsOf({ nodes }: Nodes): number[] {
  return nodes
    .flatMap(node => node.devices)
    .filter(({ device }) => !device.lost)
    .map(({ device }) => device.memory)
    .sort((a, b) => a - b);
}

/** Return the GPU memory of a share, which may depend on the card: `8 GiB`, `8–20 GiB`. */
function memoryText(milli: number, cards: readonly number[]): string {
  if (!milli || !cards.length) {
    return '';
  }
  const ends = [cards[0], cards[cards.length - 1]];
  const texts = ends.map(mib => memory((mib * milli) / 1000));
  return [...new Set(texts)].join('–');
}

/** List the MIG profiles that any device has. */
function migProfiles(nodes: Nodes): string[] {
  const all = nodes.nodes
    .flatMap(node => node.devices)
    .flatMap(({ device }) => device.mig.map(({ profile }) => profile));
  return [...new Set(all)].sort();
}
