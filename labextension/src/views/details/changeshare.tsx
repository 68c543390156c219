import React from 'react';
import { ApiError, asApiError } from '../../api/errors';
import { ResizeRequest, Session } from '../../api/models';
import {
  controlOf,
  EMPTY,
  IShareDraft,
  shareOf,
  toDraft
} from '../../state/draft';
import { FormModel } from '../../state/formmodel';
import { isLive } from '../../state/sessions';
import { typedNumber } from '../../state/numbers';
import { ShareFields } from '../launch/share';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { lossText } from './loss';

/** Start a session again with another share that the user chooses, told what is lost. */
export async function changeShare(ui: IUi, session: Session): Promise<void> {
  const { workspace, trans } = ui;
  const { id, spec } = session;
  const { form, memory, mig, compute, preset } = EMPTY;
  const model = new FormModel<keyof IShareDraft, true>(
    {
      ...{ form, memory, mig, compute, preset },
      gpu: typedNumber(0.5),
      ...toDraft(spec.share)
    },
    async draft => {
      const request: ResizeRequest = shareOf(draft as IShareDraft);
      await workspace.actions.resize(id, request).catch(byControl);
      return true;
    }
  );
  void workspace.nodes.refresh(); // for the memory of each share
  await showForm(ui, {
    title: trans.__('Change the share of %1', spec.name),
    label: trans.__('Relaunch'),
    isWarning: true,
    focus: 'input:checked',
    model,
    fields: () => (
      <>
        <ShareFields model={model} isGpuOnly />
        <p>
          {lossText(session, trans.__('the new share'), trans)}{' '}
          {isLive(session) && !spec.command.length
            ? trans.__(
                'To keep variables, run %gpu resize --keep in the notebook instead.'
              )
            : ''}
        </p>
      </>
    )
  });
}

/** Throw an error again whose fields are named as the controls of the form. */
function byControl(thrown: unknown): never {
  const error = asApiError(thrown);
  const fields = error.fields.map(problem => ({
    ...problem,
    field: controlOf(problem.field) ?? problem.field
  }));
  const { code, hint, message, status } = error;
  throw new ApiError({ code, message, hint, fields }, status);
}
