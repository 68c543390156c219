import React from 'react';
import { RestorationList } from '../../api/models';
import { IResource } from '../../state/resource';
import { Notice } from '../parts/controls';
import { useResult, useUi } from '../parts/ui';
import { restoreText } from './texts';

/** Show restores that go on, and why others have failed. */
export function Restores(props: {
  resource: IResource<RestorationList>;
}): JSX.Element | null {
  const { trans } = useUi();
  const result = useResult(props.resource);
  const all = result.status === 'ready' ? result.value.items : [];
  const shown = all.filter(({ state }) => state !== 'done');
  return shown.length ? (
    <ul className="jp-GpuQuota-jobs" aria-label={trans.__('Restores')}>
      {shown.map(restore => {
        const { id, problem, state } = restore;
        const text = restoreText(trans, restore);
        return (
          <li key={id}>
            {state === 'failed' ? (
              <Notice>
                <strong>{text}</strong>
                {problem ? (
                  <p>{[problem.message, problem.hint].join(' ')}</p>
                ) : null}
              </Notice>
            ) : (
              <p>{text}</p>
            )}
          </li>
        );
      })}
    </ul>
  ) : null;
}
