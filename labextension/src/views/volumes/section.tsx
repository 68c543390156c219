import { addIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useCallback, useMemo, useState } from 'react';
import { Volume, VolumeList } from '../../api/models';
import { VolumeActions } from '../../state/volumes/actions';
import { idOf, matching } from '../../state/volumes/volumes';
import { Notice } from '../parts/controls';
import { IPoint, openActions } from '../parts/menu';
import { IUi, LiveWidget, useUi } from '../parts/ui';
import { VirtualList } from '../parts/virtuallist';
import { Offered } from '../datasets/offered';
import { createVolume, deleteVolume } from './forms';
import { showVolume } from './details';
import { volumeEntries } from './menu';
import { VolumeRow } from './row';
import '../datasets/style';

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
          <input
            type="search"
            className="jp-GpuQuota-input"
            placeholder={trans.__('Filter')}
            aria-label={trans.__('Filter volumes by name, project or user')}
            value={filter}
            onChange={event => setFilter(event.target.value)}
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
