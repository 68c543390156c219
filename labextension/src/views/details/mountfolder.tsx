import { Dialog, showDialog } from '@jupyterlab/apputils';
import React from 'react';
import { Session } from '../../api/models';
import { routes } from '../../api/routes';
import { defaultPath, mountable } from '../../state/kernels/folder';
import { SelectField, TextField } from '../launch/fields';
import { shareText } from '../parts/texts';
import { IUi } from '../parts/ui';
import { restart } from './restart';

/** Start a session again with a volume that has the folder of a notebook. */
export async function mountFolder(
  ui: IUi,
  session: Session,
  folder: string
): Promise<void> {
  const { trans, workspace } = ui;
  const { name, project, share } = session.spec;
  const { items } = await workspace.call(routes.volumesList, {
    query: { project }
  });
  const volumes = mountable(items, session, folder);
  if (!volumes.length) {
    await showDialog({
      title: trans.__('No volume has the folder of this notebook'),
      body: trans.__(
        '%1 does not have %2, and %3 has no other volume that you may mount. Upload the files to the folder of %1, or ask an administrator for a volume that has them.',
        ...[name, folder, project]
      ),
      buttons: [Dialog.okButton({ label: trans.__('OK') })]
    });
    return;
  }
  const [{ name: first }] = volumes;
  await restart<'volume' | 'path'>(ui, session, {
    title: trans.__('Mount a folder in %1', name),
    words: shareText(trans, share),
    initial: { volume: first, path: '' },
    request: ({ path, volume }) => ({
      volumes: [`${volume}:${path.trim() || defaultPath(volume)}`]
    }),
    controlOf: field => (field.startsWith('volumes') ? 'path' : undefined),
    fields: model => (
      <>
        <p>
          {trans.__(
            '%1 does not have %2. Choose the volume that has it: the notebook then works there.',
            ...[name, folder]
          )}
        </p>
        <SelectField
          model={model}
          name="volume"
          label={trans.__('Volume')}
          choices={volumes.map(({ description, name }) => ({
            value: name,
            label: [name, description].filter(Boolean).join(' – ')
          }))}
        />
        <TextField
          model={model}
          name="path"
          label={trans.__('Mount at')}
          placeholder={defaultPath(model.draft.volume)}
          spellCheck={false}
        />
      </>
    )
  });
}
