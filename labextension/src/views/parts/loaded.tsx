import React from 'react';
import { IResource } from '../../state/resource';
import { ErrorNotice, Pending } from './controls';
import { useResult, useSignals, useUi } from './ui';

/** Show a resource once it has been read; until then a placeholder, and where reading fails, why. */
export function Loaded<T>(props: {
  resource: IResource<T>;
  /** Whether `Failures` shows elsewhere why reading fails. */
  isQuiet?: boolean;
  children: (value: T) => JSX.Element;
}): JSX.Element {
  const { trans } = useUi();
  const { isQuiet, resource } = props;
  const result = useResult(resource);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  return (
    <>
      {isQuiet ? null : <Failures resources={[resource]} />}
      {result.status === 'ready' ? props.children(result.value) : null}
    </>
  );
}

/** Show why resources cannot be read: one notice for all that fail for the same reason. */
export function Failures(props: {
  /** Always the same ones. */
  resources: readonly IResource<unknown>[];
}): JSX.Element {
  const { trans } = useUi();
  const { resources } = props;
  useSignals(resources.map(({ changed }) => changed));
  const notices = new Map<string, JSX.Element>();
  for (const { result } of resources) {
    const error = result.status === 'pending' ? undefined : result.error;
    const key = `${error?.code} ${error?.message}`;
    if (error && !notices.has(key)) {
      notices.set(
        key,
        <ErrorNotice
          key={key}
          trans={trans}
          title={
            result.status === 'ready'
              ? trans.__('Showing the last known state.')
              : undefined
          }
          error={error}
          onRetry={() => resources.forEach(item => void item.refresh())}
        />
      );
    }
  }
  return <>{[...notices.values()]}</>;
}
