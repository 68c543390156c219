import React from 'react';
import { Restoration, RestorationList } from '../../api/models';
import { IResource } from '../../state/resource';
import { FormModel } from '../../state/formmodel';
import { SnapshotActions } from '../../state/snapshots/actions';
import { confirm } from '../parts/confirm';
import { Notice } from '../parts/controls';
import { showForm } from '../parts/formdialog';
import { report } from '../parts/report';
import { IUi, useResult, useUi } from '../parts/ui';
import { restoreText } from './texts';

/** Show restores that go on, have failed, or wait for the user's decision; behind a heading others. */
export function Restores(props: {
  resource: IResource<RestorationList>;
  actions: SnapshotActions;
}): JSX.Element | null {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  const all = result.status === 'ready' ? result.value.items : [];
  const done = all.filter(({ state }) => state === 'done');
  const open = all.filter(({ state }) => state !== 'done');
  const list = (items: readonly Restoration[], label: string) =>
    items.length ? (
      <ul className="jp-GpuQuota-jobs" aria-label={label}>
        {items.map(restore => (
          <li key={restore.id}>
            <Restore actions={props.actions} restore={restore} />
          </li>
        ))}
      </ul>
    ) : null;
  return (
    <>
      {list(open, trans.__('Restores'))}
      {done.length ? (
        <details className="jp-GpuQuota-disclosure">
          <summary>
            {trans.__('Restored')}{' '}
            <span className="jp-GpuQuota-quiet">{done.length}</span>
          </summary>
          {list(done, trans.__('Restored'))}
        </details>
      ) : null}
    </>
  );
}

/** Ask whether what was restored is to take the place of the original, and do that. */
async function replaceOriginal(
  ui: IUi,
  actions: SnapshotActions,
  restore: Restoration
): Promise<void> {
  const { trans } = ui;
  const { folder, origin, place, replaces } = restore;
  const [title, what, kept] = replaces
    ? [
        trans.__('Replace the original volumes?'),
        trans.__('%1 mounts the restored volumes instead of its own.', place),
        trans.__(
          'Its own are kept until you remove them. Both sessions have to be suspended or stopped.'
        )
      ]
    : [
        trans.__('Replace the original folder?'),
        trans.__('%1 takes the place of %2.', folder, origin),
        trans.__(
          'The original is kept beside it until you remove it. Sessions in both folders have to be suspended or stopped.'
        )
      ];
  await showForm(ui, {
    title,
    label: trans.__('Replace'),
    isWarning: true,
    model: new FormModel({}, () => actions.replace(restore)),
    fields: () => (
      <>
        <p>{what}</p>
        <p className="jp-GpuQuota-quiet">{kept}</p>
      </>
    )
  });
}

function Restore(props: {
  restore: Restoration;
  actions: SnapshotActions;
}): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const { actions, restore } = props;
  const { kept, origin, places, problem, replaces, state, volumes } = restore;
  const text = restoreText(trans, restore);
  const button = (label: string, act: () => Promise<unknown>) => (
    <button
      type="button"
      className="jp-GpuQuota-linkButton"
      onClick={() => void act().catch(error => report(trans, error))}
    >
      {label}
    </button>
  );
  const remove = async () => {
    const isSure = await confirm(
      replaces
        ? trans.__('Remove the original volumes?')
        : trans.__('Remove the original folder?'),
      [
        kept
          ? trans.__('%1 and the files in it are deleted.', kept)
          : trans.__('They belong to others and stay; only the restore goes.')
      ],
      trans.__('Remove'),
      trans
    );
    await (isSure && actions.forget(restore));
  };
  if (state === 'failed') {
    return (
      <Notice>
        <strong>{text}</strong>
        {problem ? <p>{[problem.message, problem.hint].join(' ')}</p> : null}
        {button(trans.__('Dismiss'), () => actions.forget(restore))}
      </Notice>
    );
  }
  return (
    <>
      <p>{text}</p>
      {state === 'replaced' ? (
        <p className="jp-GpuQuota-quiet">
          {replaces
            ? kept && trans.__('Its own volumes are kept: %1.', kept)
            : trans.__('The original folder is kept at %1.', kept)}
          {places?.length
            ? ` ${trans.__('So are the original files of these volumes: %1.', volumes?.join(', '))}`
            : null}
        </p>
      ) : null}
      {state === 'replaced'
        ? button(trans.__('Put it back'), () => actions.undo(restore))
        : null}
      {state === 'replaced' ? button(trans.__('Remove it…'), remove) : null}
      {['done', 'undone'].includes(state) ? (
        <>
          {origin || replaces
            ? button(trans.__('Replace the original…'), () =>
                replaceOriginal(ui, actions, restore)
              )
            : null}
          {button(trans.__('Dismiss'), () => actions.forget(restore))}
        </>
      ) : null}
    </>
  );
}
