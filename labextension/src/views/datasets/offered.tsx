import React from 'react';
import { IResource } from '../../state/resource';
import { Pending } from '../parts/controls';
import { Failures } from '../parts/loaded';
import { useResult, useUi } from '../parts/ui';

/** Show what only some controllers have; where this one has none, say so without alarm. */
export function Offered<T>(props: {
  resource: IResource<T>;
  children: (value: T) => JSX.Element;
}): JSX.Element {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (result.status === 'error' && result.error.status === 501) {
    return (
      <p className="jp-GpuQuota-quiet">
        {result.error.message} {result.error.hint}
      </p>
    );
  }
  return (
    <>
      <Failures resources={[resource]} />
      {result.status === 'ready' ? props.children(result.value) : null}
    </>
  );
}
