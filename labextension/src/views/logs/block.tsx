import React from 'react';
import { IHit, shown } from '../../state/logs/logtext';

/** Draw one block of a log, with what a search has found in it. */
export const LogBlock = React.memo(function LogBlock(props: {
  text: string;
  hits: readonly IHit[];
  current: IHit | undefined;
}): JSX.Element {
  const text = shown(props.text);
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (const hit of props.hits) {
    const isCurrent = hit === props.current;
    parts.push(
      text.slice(at, hit.start),
      <mark key={hit.start} className={isCurrent ? 'jp-mod-current' : ''}>
        {text.slice(hit.start, hit.end)}
      </mark>
    );
    at = hit.end;
  }
  return (
    <pre>
      {parts}
      {text.slice(at)}
    </pre>
  );
});
