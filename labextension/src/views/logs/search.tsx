import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import React, { useEffect, useMemo, useState } from 'react';
import { LogModel } from '../../state/logs/log';
import { IHit, shown } from '../../state/logs/logtext';
import { IconButton } from '../parts/controls';
import { useUi } from '../parts/ui';

/** Beyond this many, only the one in question is marked: marks are costly to draw. */
const MOST_MARKS = 2000;
const NONE: readonly IHit[] = [];

/** A search that continues while the log grows. */
export interface ISearch {
  query: string;
  setQuery: (query: string) => void;
  count: number;
  /** The number of the current hit, from 1; 0 if there is none. */
  at: number;
  move: (step: 1 | -1) => void;
  hitsIn: (block: number) => readonly IHit[];
  currentIn: (block: number) => IHit | undefined;
}

export function useSearch(
  model: LogModel,
  box: React.RefObject<HTMLDivElement>,
  onMoved: () => void
): ISearch {
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState(0);
  const { blocks } = model.text;
  const hits = useMemo(() => model.text.find(query), [query, blocks]);
  const at = hits.length ? Math.min(index, hits.length - 1) : -1;
  const current = hits[at];
  const byBlock = useMemo(() => {
    const marked = hits.length > MOST_MARKS ? (current ? [current] : []) : hits;
    const map = new Map<number, IHit[]>();
    marked.forEach(hit => {
      map.set(hit.block, [...(map.get(hit.block) ?? []), hit]);
    });
    return map;
  }, [hits, hits.length > MOST_MARKS ? current : null]);
  useEffect(() => {
    if (current) {
      onMoved();
      box.current
        ?.querySelector('mark.jp-mod-current')
        ?.scrollIntoView({ block: 'center' });
    }
  }, [query, index]);
  return {
    query,
    setQuery: text => {
      setQuery(text);
      setIndex(Number.MAX_SAFE_INTEGER); // the newest first: that is what one looks for
    },
    count: hits.length,
    at: at + 1,
    move: step =>
      setIndex((at + step + hits.length) % Math.max(1, hits.length)),
    hitsIn: block => byBlock.get(block) ?? NONE,
    currentIn: block => (current?.block === block ? current : undefined)
  };
}

/** The search field, with buttons for the previous and the next match. */
export function LogSearch({ search }: { search: ISearch }): JSX.Element {
  const { trans } = useUi();
  const { query, count, at } = search;
  return (
    <>
      <input
        type="search"
        className="jp-GpuQuota-input"
        placeholder={trans.__('Search')}
        aria-label={trans.__('Search in the log')}
        value={query}
        onChange={event => search.setQuery(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            event.preventDefault();
            search.move(event.shiftKey ? 1 : -1);
          }
        }}
      />
      {query ? (
        <>
          <span role="status">
            {count ? trans.__('%1 of %2', at, count) : trans.__('No matches')}
          </span>
          <IconButton
            icon={caretUpIcon}
            label={trans.__('Previous match')}
            disabled={!count}
            onClick={() => search.move(-1)}
          />
          <IconButton
            icon={caretDownIcon}
            label={trans.__('Next match')}
            disabled={!count}
            onClick={() => search.move(1)}
          />
        </>
      ) : null}
    </>
  );
}

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
