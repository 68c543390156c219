import React from 'react';
import { Session, Share } from '../../api/models';
import { toResize } from '../../state/advice';
import { FormModel } from '../../state/formmodel';
import { SelectField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { shareText } from '../parts/texts';
import { IUi } from '../parts/ui';
import { lossText } from './loss';

/** Shares in GPUs that can be chosen, in milli-GPU. */
const SIZES = [250, 500, 1000, 2000, 4000, 8000];

/** Start a session again with a larger share that the user chooses, told what is lost. */
export async function useLargerShare(ui: IUi, session: Session): Promise<void> {
  const { workspace, trans } = ui;
  const { id, spec } = session;
  const held = spec.share.milli || sliceMilli(session);
  const choices = SIZES.filter(milli => milli > held).map(milli => ({
    value: String(milli),
    label: shareText(trans, shareOf(milli))
  }));
  const model = new FormModel(
    { share: choices[0]?.value ?? '' },
    async ({ share }) => {
      await workspace.actions.resize(id, toResize(shareOf(Number(share))));
      return true;
    }
  );
  await showForm(ui, {
    title: trans.__('Use a larger share for %1', spec.name),
    label: trans.__('Relaunch'),
    isWarning: true,
    model,
    fields: () => (
      <>
        <SelectField
          model={model}
          name="share"
          label={trans.__('GPU share')}
          choices={choices}
        />
        <p>
          {lossText(session, trans.__('the new share'), trans)}{' '}
          {trans.__(
            'To keep variables, run %gpu resize --keep in the notebook instead.'
          )}
        </p>
      </>
    )
  });
}

function shareOf(milli: number): Share {
  return { milli, memory: 0, compute: 0, mig: '' };
}

/** Return what a session that asked for memory holds, in milli-GPU. */
function sliceMilli({ placement }: Session): number {
  return placement?.slices.reduce((sum, slice) => sum + slice.milli, 0) ?? 0;
}
