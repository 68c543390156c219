import { addIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useCallback, useMemo, useState } from 'react';
import { StorageClass, Volume, VolumeList } from '../../api/models';
import { VolumeActions } from '../../state/volumes/actions';
import { idOf, matching, may } from '../../state/volumes/volumes';
import { Badge, Notice } from '../parts/controls';
import { IEntry, IPoint, openActions } from '../parts/menu';
import {
  FilterField,
  ListRow,
  MoreButton,
  OnMenu
} from '../datasets/listparts';
import { IUi, LiveWidget, useUi } from '../parts/ui';
import { IRowProps, VirtualList } from '../parts/virtuallist';
import { Offered } from '../datasets/offered';
import { changeVolume, createVolume, deleteVolume } from './forms';
import { showVolume } from './details';
import '../datasets/style';
import { CommandIDs } from '../../commands';
import { copy } from '../datasets/dialogs';
import { warningIcon } from '../../icons';
import { fillText, modeText, placesText, problemText, usesText } from './texts';

const ROW_HEIGHT = 62;
/** Volumes that are found without a filter. */
const FEW = 5;

/** Make the content of the panel's section on volumes. */
export function makeSection(ui: IUi): Widget {
  const resource = ui.workspace.resource('volumes');
  const widget = new LiveWidget(ui, <VolumesView />, [resource]);
  widget.addClass('jp-GpuQuota-datasetsSection');
  return widget;
}

/** Show all volumes, and who mounts them. */
export function VolumesView(): JSX.Element {
  return (
    <Offered resource={useUi().workspace.resource('volumes')}>
      {list => <Volumes list={list} />}
    </Offered>
  );
}

function Volumes({ list }: { list: VolumeList }): JSX.Element {
  const ui = useUi();
  const { trans, workspace } = ui;
  const [filter, setFilter] = useState('');
  const actions = useMemo(() => new VolumeActions(workspace), [workspace]);
  const { classes, items, problems } = list;
  return (
    <>
      {problems.map(problem => (
        <Notice key={problem}>{problem}</Notice>
      ))}
      <div className="jp-GpuQuota-filter">
        {items.length > FEW ? (
          <FilterField
            label={trans.__('Filter volumes by name, project or user')}
            value={filter}
            onChange={setFilter}
          />
        ) : null}
        {classes.length ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => void createVolume(ui, actions, classes)}
          >
            <addIcon.react tag="span" aria-hidden="true" />
            {trans.__('New volume')}
          </button>
        ) : null}
      </div>
      {items.length ? (
        <List {...{ actions, list }} shown={matching(items, filter)} />
      ) : (
        <div className="jp-GpuQuota-empty">
          <p>{trans.__('No volumes yet.')}</p>
          <p className="jp-GpuQuota-quiet">
            {trans.__(
              'A volume is a folder that the sessions of a project share.'
            )}
          </p>
        </div>
      )}
    </>
  );
}

function List(props: {
  list: VolumeList;
  shown: readonly Volume[];
  actions: VolumeActions;
}): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const { actions, list, shown } = props;
  const { classes } = list;
  const menu = useCallback(
    (volume: Volume, at: IPoint, from: HTMLElement) =>
      openActions(volumeEntries(ui, actions, volume, classes), at, from),
    [ui, actions, classes]
  );
  return shown.length ? (
    <VirtualList
      label={trans.__('Volumes')}
      items={shown}
      idOf={idOf}
      rowHeight={ROW_HEIGHT}
      target={null}
      onTarget={() => undefined}
      row={(volume, row) => (
        <VolumeRow key={row.id} {...row} volume={volume} onMenu={menu} />
      )}
      onKey={(volume, { key }) => {
        if (key === 'Enter') {
          void showVolume(ui, volume);
        } else if (key === 'Delete') {
          void deleteVolume(ui, actions, volume);
        }
      }}
    />
  ) : (
    <p className="jp-GpuQuota-quiet">{trans.__('No matching volumes.')}</p>
  );
}

/** Return what can be done to a volume. */
function volumeEntries(
  ui: IUi,
  actions: VolumeActions,
  volume: Volume,
  classes: readonly StorageClass[]
): (IEntry | null)[] {
  const { commands, trans } = ui;
  const { folder, kind, name, project } = volume;
  const launching = {
    label: trans.__('Launch a Session with It…'),
    run: () =>
      void commands.execute(CommandIDs.launch, { project, volume: name })
  };
  const cloning = {
    label: trans.__('Clone…'),
    run: () => void createVolume(ui, actions, classes, volume)
  };
  const copying = {
    label: trans.__('Copy Path'),
    run: () => copy(trans, folder)
  };
  const changing = {
    label: trans.__('Change…'),
    run: () => void changeVolume(ui, actions, classes, volume)
  };
  const deleting = {
    label: trans.__('Delete…'),
    run: () => void deleteVolume(ui, actions, volume)
  };
  return [
    { label: trans.__('Show Details'), run: () => void showVolume(ui, volume) },
    ...(may(volume, 'mount') ? [launching] : []),
    ...(may(volume, 'mount') && kind === 'claim' ? [cloning] : []),
    ...(folder ? [copying] : []),
    ...(may(volume, 'change') ? [null, changing] : []),
    ...(may(volume, 'delete') ? [deleting] : [])
  ];
}

/** Show one volume in three lines: its name, how full it is, and who mounts it. */
const VolumeRow = React.memo(function VolumeRow(
  props: IRowProps & {
    volume: Volume;
    onMenu: (volume: Volume, at: IPoint, from: HTMLElement) => void;
  }
): JSX.Element {
  const { trans } = useUi();
  const { active, onMenu, volume } = props;
  const menu: OnMenu = (at, from) => onMenu(volume, at, from);
  const { description, name, project } = volume;
  const fill = fillText(trans, volume);
  const places = placesText(volume);
  const problem = problemText(trans, volume);
  const uses = usesText(trans, volume);
  return (
    <ListRow
      {...props}
      aria-label={[name, project, fill, ...volume.modes, places, problem, uses]
        .filter(Boolean)
        .join(', ')}
      title={[description, problem].filter(Boolean).join('\n') || undefined}
      onMenu={menu}
      actions={<MoreButton active={active} name={name} onMenu={menu} />}
    >
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
    </ListRow>
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
