import React, { useEffect, useState } from 'react';
import { IFields } from './fields';

/** Fields that most sessions do not need, behind a heading. */
export function Disclosure<Name extends string>(props: {
  model: IFields<Name>;
  names: readonly Name[];
  title: string;
  children: React.ReactNode;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  const broken = props.names.some(name => props.model.problemsOf(name).length);
  useEffect(() => {
    if (broken) {
      setOpen(true); // a hidden problem could not be fixed
    }
  }, [broken]);
  return (
    <details
      className="jp-GpuQuota-disclosure"
      open={open}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{props.title}</summary>
      {props.children}
    </details>
  );
}
