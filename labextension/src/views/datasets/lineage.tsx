import { downloadIcon } from '@jupyterlab/ui-components';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Lineage, Link, OriginKind } from '../../api/models';
import { Table, textOf } from '../../api/vocabulary';
import { ILayout, IPlaced, layOut } from '../../state/datasets/lineagelayout';
import { IResource } from '../../state/resource';
import { Loaded } from '../parts/loaded';
import { save } from '../parts/save';
import { clockText } from '../parts/texts';
import { useUi } from '../parts/ui';

const WIDTH = 220;
const HEIGHT = 50;
const GAP_X = 60;
const GAP_Y = 16;

interface IProps {
  /** What stands in the middle: versions or snapshots. */
  middle: OriginKind;
  title: string;
  /** What the columns are. */
  legend: string;
  /** The name of the file that it is saved as, without its ending. */
  file: string;
}

/** Show what versions or snapshots were made by, and what has used them. */
export function LineageView(
  props: IProps & { resource: IResource<Lineage> }
): JSX.Element {
  return (
    <div className="jp-GpuQuota-browser">
      <Loaded resource={props.resource}>
        {lineage => <Drawing {...props} lineage={lineage} />}
      </Loaded>
    </div>
  );
}

function Drawing(props: IProps & { lineage: Lineage }): JSX.Element {
  const { trans } = useUi();
  const { lineage, middle } = props;
  const layout = useMemo(() => layOut(lineage, middle), [lineage, middle]);
  const download = () => {
    const text = JSON.stringify(lineage, null, 2);
    const content = new Blob([text], { type: 'application/json' });
    save(`${props.file}.json`, content);
  };
  return (
    <>
      <header className="jp-GpuQuota-browserHead">
        <h2>{props.title}</h2>
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={download}
        >
          <downloadIcon.react tag="span" aria-hidden="true" />
          {trans.__('JSON')}
        </button>
        <span className="jp-GpuQuota-quiet">{props.legend}</span>
      </header>
      {layout.places.length ? (
        <Graph layout={layout} middle={middle} />
      ) : (
        <p className="jp-GpuQuota-quiet">{trans.__('No versions yet.')}</p>
      )}
    </>
  );
}

const left = ({ column }: IPlaced) => column * (WIDTH + GAP_X) + 12;
const top = ({ row }: IPlaced) => row * (HEIGHT + GAP_Y) + 12;

function Graph(props: { layout: ILayout; middle: OriginKind }): JSX.Element {
  const { trans } = useUi();
  const { layout, middle } = props;
  const width = layout.columns * (WIDTH + GAP_X);
  const height = layout.rows * (HEIGHT + GAP_Y) + 12;
  const places = new Map(layout.places.map(place => [place.node.id, place]));
  return (
    <div className="jp-GpuQuota-lineage" tabIndex={0}>
      <div style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {layout.links.map(link => (
            <Edge key={`${link.source} ${link.target}`} {...{ link, places }} />
          ))}
        </svg>
        <ul aria-label={trans.__('Lineage')}>
          {layout.places.map(place => (
            <Node
              key={place.node.id}
              {...{ middle, place, places }}
              links={layout.links}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

/** A line between two nodes; one between versions of a column bends around those between them. */
function Edge(props: {
  link: Link;
  places: ReadonlyMap<string, IPlaced>;
}): JSX.Element | null {
  const { link, places } = props;
  const from = places.get(link.source);
  const to = places.get(link.target);
  if (!from || !to) {
    return null;
  }
  const middle = HEIGHT / 2;
  const isBelow = from.column === to.column;
  const x1 = left(from) + (from.column < to.column ? WIDTH : isBelow ? 24 : 0);
  const x2 = left(to) + (from.column < to.column ? 0 : isBelow ? 24 : WIDTH);
  const y1 = isBelow ? top(from) : top(from) + middle;
  const y2 = isBelow ? top(to) + HEIGHT : top(to) + middle;
  const bend = (x1 + x2) / 2;
  return (
    <path
      className={`jp-mod-${link.relation}`}
      d={
        isBelow
          ? `M${x1} ${y1}L${x2} ${y2}`
          : `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`
      }
    />
  );
}

function Node(props: {
  place: IPlaced;
  middle: OriginKind;
  places: ReadonlyMap<string, IPlaced>;
  links: readonly Link[];
}): JSX.Element {
  const { trans } = useUi();
  const { links, place, places } = props;
  const { detail, id, kind, label, time } = place.node;
  const kinds: Table<OriginKind, string> = {
    version: trans.__('Version'),
    session: trans.__('Session'),
    snapshot: trans.__('Snapshot'),
    commit: trans.__('Commit')
  };
  const relations = links
    .filter(({ source }) => source === id)
    .map(({ relation, target }) =>
      relationText(trans, relation, places.get(target)?.node.label ?? target)
    );
  const what = textOf(kinds, kind);
  return (
    <li
      className={`jp-GpuQuota-origin${kind === props.middle ? ' jp-mod-middle' : ''}`}
      style={{
        left: left(place),
        top: top(place),
        width: WIDTH,
        height: HEIGHT
      }}
      title={[label, detail, time ? clockText(time) : '', ...relations]
        .filter(Boolean)
        .join('\n')}
    >
      <div>
        <span
          className={`jp-GpuQuota-${kind === props.middle ? 'unseen' : 'quiet'}`}
        >
          {what}
        </span>{' '}
        <b>{label}</b>
      </div>
      <div className="jp-GpuQuota-quiet">
        {[detail, time ? clockText(time) : ''].filter(Boolean).join(' · ')}
      </div>
      <div className="jp-GpuQuota-unseen">{relations.join(', ')}</div>
    </li>
  );
}

function relationText(
  trans: TranslationBundle,
  relation: Link['relation'],
  target: string
): string {
  switch (relation) {
    case 'produced':
      return trans.__('produced %1', target);
    case 'used':
      return trans.__('used by %1', target);
    case 'follows':
      return trans.__('followed by %1', target);
    default:
      return `${relation} ${target}`;
  }
}
