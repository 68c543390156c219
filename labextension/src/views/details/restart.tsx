import React from 'react';
import { Session } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { IRestartForm, RestartModel } from '../../state/kernels/restart';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { KeptVariables } from './keptvariables';
import { lossText } from './loss';

interface IRestart<Name extends string> extends IRestartForm<Name> {
  title: string;
  /** What the session is queued for afterwards. */
  words: string;
  fields?: (model: FormModel<Name, true>) => React.ReactNode;
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
        <KeptVariables choice={model.choice} />
      </>
    )
  });
}
