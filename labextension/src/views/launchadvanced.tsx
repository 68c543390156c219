import React, { useEffect, useState } from 'react';
import { IDraft } from '../state/draft';
import { LaunchModel } from '../state/launch';
import { Field, TextField } from './launchfields';
import { useUi } from './ui';

const NAMES: readonly (keyof IDraft)[] = [
  'command',
  'args',
  'env',
  'ports',
  'priority',
  'idle_timeout'
];

/** Ask what most sessions do not need. */
export function Advanced({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  const [open, setOpen] = useState(false);
  const broken = NAMES.some(name => model.problemsOf(name).length);
  useEffect(() => {
    if (broken) {
      setOpen(true); // a problem out of sight could not be mended
    }
  }, [broken]);
  return (
    <details
      className="jp-GpuQuota-disclosure"
      open={open}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{trans.__('Advanced')}</summary>
      <TextField
        model={model}
        name="command"
        label={trans.__('Command')}
        placeholder={trans.__('a Jupyter Server')}
        help={trans.__(
          'Run this instead of a Jupyter Server; no shell is involved.'
        )}
        spellCheck={false}
      />
      <TextField
        model={model}
        name="args"
        label={trans.__('Arguments')}
        help={trans.__('Added to the command, or to the Jupyter Server.')}
        spellCheck={false}
      />
      <Field
        model={model}
        name="env"
        label={trans.__('Environment variables')}
        help={trans.__('One NAME=value a line')}
      >
        {control => (
          <textarea
            {...control}
            className="jp-GpuQuota-input"
            rows={3}
            spellCheck={false}
            value={model.draft.env}
            onChange={event => model.set({ env: event.target.value })}
          />
        )}
      </Field>
      <TextField
        model={model}
        name="ports"
        label={trans.__('Ports')}
        help={trans.__(
          'Ports to reach through JupyterLab, for example 6006 for TensorBoard'
        )}
        inputMode="numeric"
      />
      <TextField
        model={model}
        name="priority"
        label={trans.__('Priority')}
        help={trans.__(
          '0 to 100; a higher one is earlier in the line of its project'
        )}
        inputMode="numeric"
      />
      <TextField
        model={model}
        name="idle_timeout"
        label={trans.__('Suspend when idle for')}
        placeholder={trans.__('as the policy says')}
        help={trans.__(
          'For example 30m or 2h, or 0 for never, as far as the policy allows'
        )}
        spellCheck={false}
      />
    </details>
  );
}
