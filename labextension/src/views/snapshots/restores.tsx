import React from 'react';
import { Restoration, RestorationList } from '../../api/models';
import { IResource } from '../../state/resource';
import { SnapshotActions } from '../../state/snapshots/actions';
import { confirm } from '../parts/confirm';
import { Notice } from '../parts/controls';
import { report } from '../parts/report';
import { useResult, useUi } from '../parts/ui';
import { restoreText } from './texts';

/** Show restores that go on, have failed, or wait for the user's decision. */
export function Restores(props: {
  resource: IResource<RestorationList>;
  actions: SnapshotActions;
}): JSX.Element | null {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  const all = result.status === 'ready' ? result.value.items : [];
  const open = all.filter(({ state }) => state !== 'done');
  return open.length ? (
    <ul className="jp-GpuQuota-jobs" aria-label={trans.__('Restores')}>
      {open.map(restore => (
        <li key={restore.id}>
          <Restore actions={props.actions} restore={restore} />
        </li>
      ))}
    </ul>
  ) : null;
}

function Restore(props: {
  restore: Restoration;
  actions: SnapshotActions;
}): JSX.Element {
  const { trans } = useUi();
  const { actions, restore } = props;
  const { kept, problem, state } = restore;
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
      trans.__('Remove the original folder?'),
      [trans.__('%1 and the files in it are deleted.', kept)],
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
          {trans.__('The original folder is kept at %1.', kept)}
        </p>
      ) : null}
      {state === 'replaced'
        ? button(trans.__('Put it back'), () => actions.undo(restore))
        : null}
      {state === 'replaced' ? button(trans.__('Remove it…'), remove) : null}
      {state === 'undone'
        ? button(trans.__('Dismiss'), () => actions.forget(restore))
        : null}
    </>
  );
}
