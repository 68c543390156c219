import React from 'react';
import { FieldProblem } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { useUi } from '../parts/ui';
import { TextField } from './fields';

/** What a session runs; a line that needs a shell is put into one by a click. */
export function CommandField({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  const isTraining = model.draft.kind === 'train';
  const shell = model.problemsOf('command').map(shellOf).find(Boolean);
  return (
    <>
      <TextField
        model={model}
        name="command"
        label={trans.__('Command')}
        placeholder={
          isTraining ? trans.__('python train.py') : trans.__('Jupyter Server')
        }
        help={
          isTraining
            ? trans.__('The program to run (no shell syntax).')
            : trans.__(
                'Runs this program instead of a Jupyter Server (no shell syntax).'
              )
        }
        spellCheck={false}
      />
      {shell ? (
        <button
          type="button"
          className="jp-GpuQuota-button"
          title={shell}
          onClick={({ currentTarget: { form } }) => {
            model.set({ command: shell });
            form?.querySelector<HTMLElement>('[name="command"]')?.focus();
          }}
        >
          {trans.__('Run in a shell')}
        </button>
      ) : null}
    </>
  );
}

/** Return the command that runs a line in a shell, if that is what is wrong with it. */
function shellOf({ key, args }: FieldProblem): string {
  return key === 'command.operator' ? String(args?.shell ?? '') : '';
}
