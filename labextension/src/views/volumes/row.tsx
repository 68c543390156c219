import React from 'react';
import { Volume } from '../../api/models';
import { moreIcon, warningIcon } from '../../icons';
import { Badge, IconButton } from '../parts/controls';
import { IPoint, pointOf } from '../parts/menu';
import { useUi } from '../parts/ui';
import { IRowProps } from '../parts/virtuallist';
import { fillText, modeText, placesText, problemText, usesText } from './texts';

/** Show one volume in three lines: its name, how full it is, and who mounts it. */
export const VolumeRow = React.memo(function VolumeRow(
  props: IRowProps & {
    volume: Volume;
    onMenu: (volume: Volume, at: IPoint, from: HTMLElement) => void;
  }
): JSX.Element {
  const { trans } = useUi();
  const { active, onMenu, volume } = props;
  const { description, name, project } = volume;
  const fill = fillText(trans, volume);
  const places = placesText(volume);
  const problem = problemText(trans, volume);
  const uses = usesText(trans, volume);
  return (
    <div
      role="row"
      aria-rowindex={props.index + 1}
      aria-label={[name, project, fill, ...volume.modes, places, problem, uses]
        .filter(Boolean)
        .join(', ')}
      title={[description, problem].filter(Boolean).join('\n') || undefined}
      className="jp-GpuQuota-row"
      data-row={props.id}
      style={{ top: props.top, height: props.height }}
      tabIndex={active ? 0 : -1}
      onContextMenu={event => {
        event.preventDefault();
        event.stopPropagation();
        onMenu(volume, pointOf(event), event.currentTarget);
      }}
    >
      <div role="gridcell" className="jp-GpuQuota-rowText">
        <div className="jp-GpuQuota-rowTitle">
          <span className="jp-GpuQuota-name" title={name}>
            {name}
          </span>
          <span className="jp-GpuQuota-whose" title={project}>
            {project}
          </span>
        </div>
        <div className="jp-GpuQuota-treeLine">
          <Fill volume={volume} text={fill} />
          <Badges volume={volume} places={places} />
        </div>
        <div className="jp-GpuQuota-treeLine">
          {problem ? <warningIcon.react tag="span" aria-hidden="true" /> : null}
          <span className="jp-GpuQuota-status">{problem || uses}</span>
        </div>
      </div>
      <div role="gridcell" className="jp-GpuQuota-rowActions">
        <IconButton
          icon={moreIcon}
          label={trans.__('More actions on %1', name)}
          aria-haspopup="menu"
          tabIndex={active ? 0 : -1}
          onClick={event => {
            const { left, bottom } =
              event.currentTarget.getBoundingClientRect();
            onMenu(volume, { x: left, y: bottom }, event.currentTarget);
          }}
        />
      </div>
    </div>
  );
});

/** How full it is, in words, and as a bar where it has an end. */
function Fill(props: { volume: Volume; text: string }): JSX.Element {
  const { size, used } = props.volume;
  const part = used !== null && size ? used / size : null;
  return (
    <>
      {part === null ? null : (
        <span
          className={`jp-GpuQuota-fill${part > 0.9 ? ' jp-mod-full' : ''}`}
          aria-hidden="true"
        >
          <span style={{ width: `${100 * Math.min(1, part)}%` }} />
        </span>
      )}
      <span className="jp-GpuQuota-share">{props.text}</span>
    </>
  );
}

function Badges(props: { volume: Volume; places: string }): JSX.Element {
  const { trans } = useUi();
  const { places, volume } = props;
  const [mode] = volume.modes;
  return (
    <>
      {volume.read_only ? (
        <Badge>{trans.__('read-only')}</Badge>
      ) : mode ? (
        <Badge
          title={volume.modes.map(each => modeText(trans, each)).join('\n')}
        >
          {volume.modes.join(' ')}
        </Badge>
      ) : null}
      {places ? (
        <Badge title={trans.__('Only on %1', places)}>{places}</Badge>
      ) : null}
    </>
  );
}
