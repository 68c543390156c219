import React from 'react';
import { Session } from '../../api/models';
import { IRestartForm, RestartModel } from '../../state/kernels/restart';
import { TextField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { lossText } from './loss';

interface IRestart<Name extends string> extends IRestartForm<Name> {
  title: string;
  /** What the session is queued for afterwards. */
  words: string;
  fields?: (model: RestartModel<Name>) => React.ReactNode;
  /** The control that has the focus first. */
  focus?: string;
}

/** Start a session again with what the user chooses, told what is lost, with variables to keep. */
export async function restart<Name extends string>(
  ui: IUi,
  session: Session,
  options: IRestart<Name>
): Promise<void> {
  const { workspace, trans } = ui;
  const model = new RestartModel(workspace, session, options);
  await showForm(ui, {
    title: options.title,
    label: trans.__('Relaunch'),
    isWarning: true,
    focus: options.focus,
    model,
    fields: () => (
      <>
        {options.fields?.(model)}
        <p>{lossText(session, options.words, trans)}</p>
        {model.canKeep ? (
          <>
            <TextField
              model={model}
              name="keep"
              label={trans.__('Variables to keep')}
              help={trans.__(
                'Names of variables of a notebook, e.g. %1',
                'model df'
              )}
              spellCheck={false}
            />
            <TextField
              model={model}
              name="notebook"
              label={trans.__('Their notebook')}
              help={trans.__('Its path, where several have a kernel')}
              spellCheck={false}
            />
          </>
        ) : null}
      </>
    )
  });
}
