import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Department, Quota } from '../../api/models';
import { departmentsOf } from '../../state/quota';
import { Meter } from '../parts/meter';
import { gpus, gpusText } from '../parts/texts';
import { useUi } from '../parts/ui';

/** What the departments of a project hold of their own quotas, where the engine has any. */
export function Departments(props: {
  quota: Quota;
  project: string;
}): JSX.Element | null {
  const { trans } = useUi();
  const found = departmentsOf(props.quota, props.project);
  return found.length ? (
    <ul aria-label={trans.__('Departments of %1', props.project)}>
      {found.map(each => {
        const text = departmentText(trans, each);
        const max = each.quota ?? each.limit;
        return (
          <li key={each.name}>
            {max === null ? null : (
              <Meter
                value={each.allocated}
                over={Math.max(0, each.allocated - max)}
                max={max}
                label={trans.__('GPUs used by the department %1', each.name)}
                text={text}
              />
            )}
            {trans.__('Department %1: %2', each.name, text)}
          </li>
        );
      })}
    </ul>
  ) : null;
}

/** Return what the projects of a department hold: `5 of 8 GPUs in quota, limit 12`. */
function departmentText(
  trans: TranslationBundle,
  { allocated, limit, quota }: Department
): string {
  return [
    quota === null
      ? trans.__('%1 in use', gpusText(trans, allocated))
      : trans.__('%1 of %2 GPUs in quota', gpus(allocated), gpus(quota)),
    limit === null ? '' : trans.__('limit %1', gpus(limit))
  ]
    .filter(Boolean)
    .join(', ');
}
