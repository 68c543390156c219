import React from 'react';
import { Session, Snapshot } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { namesOf } from '../../state/settings/formvalues';
import { SnapshotActions } from '../../state/snapshots/actions';
import { NEW_SNAPSHOT, toRequest } from '../../state/snapshots/snapshots';
import { follow } from '../datasets/syncfolder';
import { Disclosure } from '../launch/disclosure';
import { TextField } from '../launch/fields';
import { showForm } from '../parts/formdialog';
import { IUi } from '../parts/ui';
import { shortTitle } from './texts';

/** Ask why a snapshot of a session is taken, take it, and show how far it is. */
export async function takeSnapshot(ui: IUi, session: Session): Promise<void> {
  const { trans, workspace } = ui;
  const actions = new SnapshotActions(workspace);
  const volumes = volumesOf(session);
  const model = new FormModel({ ...NEW_SNAPSHOT }, draft =>
    actions.take(session.id, toRequest(draft))
  );
  const taken = await showForm(ui, {
    title: trans.__('Take a snapshot of %1', session.spec.name),
    label: trans.__('Take'),
    model,
    fields: () => (
      <>
        <TextField
          model={model}
          name="note"
          label={trans.__('Note')}
          placeholder={trans.__('Why, or what has changed')}
        />
        <TextField
          model={model}
          name="tags"
          label={trans.__('Tags')}
          placeholder={trans.__('E.g. best; tagged snapshots are kept')}
        />
        <Disclosure
          model={model}
          names={['artifacts', 'variables', 'volumes']}
          title={trans.__('More')}
        >
          <TextField
            model={model}
            name="artifacts"
            label={trans.__('Artifacts')}
            help={trans.__('Files to list one by one, e.g. %1', 'models/*.pt')}
            spellCheck={false}
          />
          <TextField
            model={model}
            name="variables"
            label={trans.__('Kernel variables')}
            help={trans.__('Names of variables to store, e.g. %1', 'model df')}
            spellCheck={false}
          />
          {volumes.length ? (
            <TextField
              model={model}
              name="volumes"
              label={trans.__('Volumes')}
              placeholder={volumes.join(' ')}
              help={trans.__('Names of volumes to copy; all if empty')}
              spellCheck={false}
            />
          ) : null}
        </Disclosure>
      </>
    )
  });
  if (taken?.job) {
    follow(trans, workspace, taken.job);
  }
}

/** The names of the volumes that a session may write, which its snapshots copy. */
function volumesOf({ spec }: Session): string[] {
  const mounted = (spec.volumes ?? []).filter(
    ({ read_only, volume }) => volume && !read_only
  );
  return [...new Set(mounted.map(({ volume }) => volume))];
}

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
