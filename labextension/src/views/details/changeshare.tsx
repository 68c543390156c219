import React from 'react';
import { Session } from '../../api/models';
import {
  controlOf,
  EMPTY,
  IShareDraft,
  shareOf,
  toDraft
} from '../../state/draft';
import { typedNumber } from '../../state/numbers';
import { ShareFields } from '../launch/share';
import { IUi } from '../parts/ui';
import { restart } from './restart';

/** Start a session again with another share that the user chooses. */
export async function changeShare(ui: IUi, session: Session): Promise<void> {
  const { workspace, trans } = ui;
  const { form, memory, mig, compute, preset } = EMPTY;
  void workspace.nodes.refresh(); // for the memory of each share
  await restart<keyof IShareDraft>(ui, session, {
    title: trans.__('Change the share of %1', session.spec.name),
    words: trans.__('the new share'),
    initial: {
      ...{ form, memory, mig, compute, preset },
      gpu: typedNumber(0.5),
      ...toDraft(session.spec.share)
    },
    request: draft => shareOf(draft as IShareDraft),
    controlOf,
    fields: model => <ShareFields model={model} isGpuOnly />,
    focus: 'input:checked'
  });
}
