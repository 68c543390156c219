import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Session } from '../api/models';
import { inOrder } from '../state/sessions';
import { IGpuQuota } from '../tokens';

/** Ask which session is meant; returns undefined where the user names none. */
export async function chooseSession(
  quota: IGpuQuota,
  title: string,
  fits: (session: Session) => boolean,
  trans: TranslationBundle
): Promise<Session | undefined> {
  await quota.sessions.refresh();
  const { result } = quota.sessions;
  if (result.status === 'error') {
    throw result.error;
  }
  const sessions =
    result.status === 'ready' ? inOrder(result.value.items).filter(fits) : [];
  if (!sessions.length) {
    await showDialog({
      title,
      body: trans.__('There is no session that this can be done to.'),
      buttons: [Dialog.okButton()]
    });
    return undefined;
  }
  const items = sessions.map(({ spec, owner }) =>
    trans.__('%1 (%2, %3)', spec.name, spec.project, owner)
  );
  const { button, value } = await InputDialog.getItem({
    title,
    label: trans.__('Session'),
    items
  });
  return button.accept && value ? sessions[items.indexOf(value)] : undefined;
}

/** Ask whether a session is really to be ended, unless the user wants no such question. */
export async function confirmEnd(
  quota: IGpuQuota,
  session: Session,
  goal: 'stop' | 'suspend',
  trans: TranslationBundle
): Promise<boolean> {
  const { preferences } = quota;
  if (!preferences.values.confirmStop || session.state === 'waiting') {
    return true;
  }
  const { button, isChecked } = await showDialog({
    title:
      goal === 'stop'
        ? trans.__('Stop %1?', session.spec.name)
        : trans.__('Suspend %1?', session.spec.name),
    body: trans.__(
      'Its processes end, and what is only in their memory is lost. Files and the log stay.'
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({
        label: goal === 'stop' ? trans.__('Stop') : trans.__('Suspend')
      })
    ],
    checkbox: { label: trans.__('Do not ask again') }
  });
  if (button.accept && isChecked) {
    await preferences.set('confirmStop', false);
  }
  return button.accept;
}
