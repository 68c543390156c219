import React from 'react';
import { Snapshot } from '../../api/models';
import { snapshotIcon, warningIcon } from '../../icons';
import { Badge } from '../parts/controls';
import { IPoint } from '../parts/menu';
import { ListRow, MoreButton, OnMenu } from '../datasets/listparts';
import { useUi } from '../parts/ui';
import { IRowProps } from '../parts/virtuallist';
import { snapshotStateText, snapshotText, titleOf } from './texts';

/** Show one snapshot in three lines: its note, its session, and its size and age. */
export const SnapshotRow = React.memo(function SnapshotRow(
  props: IRowProps & {
    snapshot: Snapshot;
    me: string;
    now: number;
    onMenu: (snapshot: Snapshot, at: IPoint, from: HTMLElement) => void;
  }
): JSX.Element {
  const { trans } = useUi();
  const { active, me, onMenu, snapshot } = props;
  const menu: OnMenu = (at, from) => onMenu(snapshot, at, from);
  const { name, owner, pin, project, tags } = snapshot;
  const title = titleOf(snapshot);
  const state = snapshotStateText(trans, snapshot);
  const text = snapshotText(trans, snapshot, props.now);
  const whose = owner === me ? project : trans.__('%1 (%2)', project, owner);
  const isWhole = snapshot.state === 'ready';
  return (
    <ListRow
      {...props}
      aria-label={[title, ...tags, name, whose, state, text]
        .filter(Boolean)
        .join(', ')}
      title={[title, pin?.why].filter(Boolean).join('\n')}
      onMenu={menu}
      actions={<MoreButton active={active} name={title} onMenu={menu} />}
    >
      <div className="jp-GpuQuota-rowTitle">
        <span className="jp-GpuQuota-state" aria-hidden="true">
          <snapshotIcon.react tag="span" />
        </span>
        <span className="jp-GpuQuota-name">{title}</span>
        {tags.map(tag => (
          <Badge key={tag} kind="here">
            {tag}
          </Badge>
        ))}
        {pin ? <Badge title={pin.why}>{trans.__('pinned')}</Badge> : null}
      </div>
      <div className="jp-GpuQuota-treeLine">
        <span className="jp-GpuQuota-share">{name || whose}</span>
        {name ? <span className="jp-GpuQuota-whose">{whose}</span> : null}
      </div>
      <div className="jp-GpuQuota-treeLine">
        {isWhole || snapshot.state === 'making' ? null : (
          <warningIcon.react tag="span" aria-hidden="true" />
        )}
        <span className="jp-GpuQuota-status">
          {isWhole ? text : [state, text].filter(Boolean).join(' · ')}
        </span>
      </div>
    </ListRow>
  );
});
