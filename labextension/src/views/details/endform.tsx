import React from 'react';
import { Session } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { TextField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { endQuestion, Goal } from './loss';

/** Ask whether to end a session of somebody else, and why: its owner sees the reason. */
export async function endOfAnother(
  ui: IUi,
  session: Session,
  goal: Goal
): Promise<void> {
  const { trans, workspace } = ui;
  const { id, owner } = session;
  const { title, body, label } = endQuestion(trans, session, goal, owner);
  const model = new FormModel({ reason: '' }, ({ reason }) =>
    workspace.actions[goal](id, reason)
  );
  await showForm(ui, {
    title,
    label,
    isWarning: true,
    model,
    fields: () => (
      <>
        <p>{body}</p>
        <TextField
          model={model}
          name="reason"
          label={trans.__('Reason (shown to %1)', owner)}
          placeholder={trans.__('E.g. the node is needed for maintenance')}
        />
      </>
    )
  });
}
