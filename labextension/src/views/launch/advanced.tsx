import React from 'react';
import { IDraft } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { useUi } from '../parts/ui';
import { Disclosure } from './disclosure';
import { CommandField } from './command';
import { AreaField, CheckField, TextField } from './fields';

const NAMES: readonly (keyof IDraft)[] = [
  'command',
  'args',
  'env',
  'ports',
  'processes',
  'priority',
  'node_type',
  'idle_timeout',
  'stop_when_idle'
];

/** The fields that most sessions do not need. */
export function Advanced({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  const { kind, processes } = model.draft;
  const isTraining = kind === 'train';
  return (
    <Disclosure
      model={model}
      names={isTraining ? NAMES.slice(1) : NAMES}
      title={trans.__('Advanced')}
    >
      {isTraining ? null : <CommandField model={model} />}
      <TextField
        model={model}
        name="args"
        label={trans.__('Arguments')}
        help={trans.__('Passed to the command or to the Jupyter Server.')}
        spellCheck={false}
      />
      <AreaField
        model={model}
        name="env"
        label={trans.__('Environment variables')}
        help={trans.__('One %1 per line', 'NAME=value')}
      />
      <TextField
        model={model}
        name="ports"
        label={trans.__('Ports')}
        help={trans.__(
          'Ports to expose through JupyterLab, e.g. 6006 for TensorBoard'
        )}
        inputMode="numeric"
      />
      {isTraining || processes ? (
        <TextField
          model={model}
          name="processes"
          label={trans.__('Processes')}
          placeholder="1"
          help={trans.__('Each has the whole share; all start at once.')}
          inputMode="numeric"
        />
      ) : null}
      <TextField
        model={model}
        name="priority"
        label={trans.__('Priority')}
        help={trans.__('0–100. Higher starts first.')}
        inputMode="numeric"
      />
      <TextField
        model={model}
        name="node_type"
        label={trans.__('Node group')}
        spellCheck={false}
      />
      <TextField
        model={model}
        name="idle_timeout"
        label={trans.__('Idle timeout')}
        placeholder={trans.__('Default: policy')}
        help={trans.__('E.g. 30m, 2h; 0 = never (within policy limits)')}
        spellCheck={false}
      />
      <CheckField
        model={model}
        name="stop_when_idle"
        label={trans.__('Stop it when idle')}
      />
    </Disclosure>
  );
}
