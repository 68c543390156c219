import React, { useId } from 'react';

/** Show rules, a line each. */
export function RuleList(props: {
  title: React.ReactNode;
  lines: [label: string, text: string][];
}): JSX.Element {
  const heading = useId();
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>{props.title}</h3>
      </header>
      <dl className="jp-GpuQuota-rules">
        {props.lines.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
