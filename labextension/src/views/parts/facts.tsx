import React from 'react';

/** A name and its value; without a value it is left out. */
export type Fact = readonly [string, React.ReactNode];

/** A heading with names and values below it; nothing where there are no values. */
export function Facts(props: {
  title?: string;
  facts: readonly Fact[];
}): JSX.Element | null {
  const facts = props.facts.filter(([, value]) => Boolean(value));
  return facts.length ? (
    <section>
      {props.title ? <h3>{props.title}</h3> : null}
      <dl>
        {facts.map(([name, value]) => (
          <React.Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </React.Fragment>
        ))}
      </dl>
    </section>
  ) : null;
}
