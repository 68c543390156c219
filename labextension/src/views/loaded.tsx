import React from 'react';
import { IResource } from '../state/resource';
import { ErrorNotice, Pending } from './common';
import { useResult, useUi } from './ui';

/** Show a resource once it is there; until then, or where it fails, say so. */
export function Loaded<T>(props: {
  resource: IResource<T>;
  children: (value: T) => JSX.Element;
}): JSX.Element {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  const retry = () => void resource.refresh();
  switch (result.status) {
    case 'pending':
      return <Pending trans={trans} />;
    case 'error':
      return <ErrorNotice trans={trans} error={result.error} onRetry={retry} />;
    case 'ready':
      return (
        <>
          {result.error ? (
            <ErrorNotice
              trans={trans}
              title={trans.__('This may be out of date.')}
              error={result.error}
              onRetry={retry}
            />
          ) : null}
          {props.children(result.value)}
        </>
      );
  }
}
