import React from 'react';
import { Snapshot } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { namesOf } from '../../state/settings/formvalues';
import { SnapshotActions } from '../../state/snapshots/actions';
import { follow } from '../datasets/syncfolder';
import { TextField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { shortTitle } from './texts';

/** Ask for the tags of a snapshot. */
export async function tagSnapshot(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot
): Promise<void> {
  const { trans } = ui;
  const model = new FormModel({ tags: snapshot.tags.join(' ') }, ({ tags }) =>
    actions.mark(snapshot, { tags: namesOf(tags) })
  );
  await showForm(ui, {
    title: trans.__('Tags of %1', shortTitle(snapshot)),
    label: trans.__('Save'),
    model,
    fields: () => (
      <TextField
        model={model}
        name="tags"
        label={trans.__('Tags')}
        help={trans.__('Separate them with spaces.')}
        spellCheck={false}
      />
    )
  });
}

/** Ask why a snapshot is to be kept, and pin it. */
export async function pinSnapshot(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot
): Promise<void> {
  const { trans } = ui;
  const model = new FormModel({ why: '' }, ({ why }) =>
    actions.pin(snapshot, why.trim())
  );
  await showForm(ui, {
    title: trans.__('Pin %1', shortTitle(snapshot)),
    label: trans.__('Pin'),
    model,
    fields: () => (
      <TextField
        model={model}
        name="why"
        label={trans.__('Why')}
        help={trans.__('No rule removes a pinned snapshot.')}
      />
    )
  });
}

/** Ask where the files of a snapshot are to be written, and write them. */
export async function exportSnapshot(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot
): Promise<void> {
  const { trans, workspace } = ui;
  const model = new FormModel({ folder: '' }, ({ folder }) =>
    actions.export(snapshot, folder.trim())
  );
  const job = await showForm(ui, {
    title: trans.__('Export %1', shortTitle(snapshot)),
    label: trans.__('Export'),
    model,
    fields: () => (
      <TextField
        model={model}
        name="folder"
        label={trans.__('New folder')}
        placeholder="/"
        help={trans.__('An absolute path on the machine of the controller.')}
        spellCheck={false}
      />
    )
  });
  if (job) {
    follow(trans, workspace, job.id);
  }
}

/** Ask whether a snapshot is to be removed, and remove it. */
export async function removeSnapshot(
  ui: IUi,
  actions: SnapshotActions,
  snapshot: Snapshot
): Promise<void> {
  const { trans } = ui;
  const model = new FormModel({}, async () => {
    await actions.delete(snapshot);
    return true;
  });
  await showForm(ui, {
    title: trans.__('Remove %1?', shortTitle(snapshot)),
    label: trans.__('Remove'),
    isWarning: true,
    model,
    fields: () => (
      <p>
        {trans.__('It cannot be restored after that. Others are not touched.')}
      </p>
    )
  });
}
