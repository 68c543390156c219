import {
  caretDownIcon,
  caretRightIcon,
  closeIcon,
  folderIcon
} from '@jupyterlab/ui-components';
import React from 'react';
import { shortId } from '../../state/datasets/references';
import { Row } from '../../state/datasets/rows';
import { warningIcon } from '../../icons';
import { Badge, IconButton } from '../parts/controls';
import { ListRow, MoreButton, OnMenu } from './listparts';
import { IPoint } from '../parts/menu';
import { useUi } from '../parts/ui';
import { IRowProps } from '../parts/virtuallist';
import { copyText, datasetText, keepersText, versionText } from './texts';

interface IProps<R extends Row = Row> extends IRowProps {
  row: R;
  now: number;
  isOpen: boolean;
  onToggle: (row: Row) => void;
  onOpen: (row: Row) => void;
  onMenu: (row: Row, at: IPoint, from: HTMLElement) => void;
  onCancel: (row: Row) => void;
}

/** Show one dataset, one of its versions, or why there are none to show. */
export const TreeRow = React.memo(function TreeRow(props: IProps): JSX.Element {
  const { row } = props;
  switch (row.kind) {
    case 'dataset':
      return <DatasetRow {...props} row={row} />;
    case 'version':
      return <VersionRow {...props} row={row} />;
    default:
      return <NoteRow {...props} row={row} />;
  }
});

/** Return the menu of a row, opened at a point. */
function menuOf({ onMenu, row }: IProps): OnMenu {
  return (at, from) => onMenu(row, at, from);
}

function Shell(
  props: IProps & {
    label: string;
    level: 1 | 2;
    title?: string;
    children: React.ReactNode;
    actions?: React.ReactNode;
  }
): JSX.Element {
  const { isOpen, label, level, row } = props;
  return (
    <ListRow
      {...props}
      aria-level={level}
      aria-expanded={row.kind === 'dataset' ? isOpen : undefined}
      aria-label={label}
      kind={row.kind}
      onMenu={menuOf(props)}
    />
  );
}

function DatasetRow(
  props: IProps<Extract<Row, { kind: 'dataset' }>>
): JSX.Element {
  const { trans } = useUi();
  const { dataset } = props.row;
  const { description, name, problem, project } = dataset;
  const text = datasetText(trans, dataset);
  const Caret = props.isOpen ? caretDownIcon : caretRightIcon;
  return (
    <Shell
      {...props}
      level={1}
      label={[name, project, text, problem].filter(Boolean).join(', ')}
      title={[description, problem].filter(Boolean).join('\n') || undefined}
      actions={
        <MoreButton active={props.active} onMenu={menuOf(props)} name={name} />
      }
    >
      <div
        className="jp-GpuQuota-treeHead"
        onClick={() => props.onToggle(props.row)}
      >
        <Caret.react tag="span" aria-hidden="true" />
        <span className="jp-GpuQuota-name">{name}</span>
        <span className="jp-GpuQuota-whose" title={project}>
          {project}
        </span>
      </div>
      <div className="jp-GpuQuota-rowLine">
        <span className="jp-GpuQuota-status">{text}</span>
        {dataset.own_lake ? (
          <Badge title={trans.__('In a lake of its own: %1', dataset.lake)}>
            {trans.__('own lake')}
          </Badge>
        ) : null}
        {problem ? (
          <warningIcon.react tag="span" title={problem} aria-hidden="true" />
        ) : null}
      </div>
    </Shell>
  );
}

function VersionRow(
  props: IProps<Extract<Row, { kind: 'version' }>>
): JSX.Element {
  const { trans } = useUi();
  const { copy, dataset, version } = props.row;
  const id = shortId(version);
  const state = copyText(trans, copy);
  const text = versionText(trans, version, props.now);
  const keepers = keepersText(trans, copy);
  const users = copy.cached?.leases.length ?? 0;
  return (
    <Shell
      {...props}
      level={2}
      label={[dataset.name, id, ...version.tags, version.message, state, text]
        .filter(Boolean)
        .join(', ')}
      title={[version.message, ...keepers].filter(Boolean).join('\n')}
      actions={
        <>
          <IconButton
            icon={folderIcon}
            label={trans.__('Browse %1', `${dataset.name}@${id}`)}
            tabIndex={props.active ? 0 : -1}
            onClick={() => props.onOpen(props.row)}
          />
          <MoreButton
            active={props.active}
            onMenu={menuOf(props)}
            name={`${dataset.name}@${id}`}
          />
        </>
      }
    >
      <div className="jp-GpuQuota-rowTitle">
        {version.tags.map(tag => (
          <Badge key={tag} kind="here">
            {tag}
          </Badge>
        ))}
        <span className="jp-GpuQuota-message">
          {version.message || <code>{id}</code>}
        </span>
      </div>
      <div className="jp-GpuQuota-treeLine">
        <span className={`jp-GpuQuota-copy jp-mod-${copy.state}`}>{state}</span>
        {copy.state === 'fetching' ? (
          <progress aria-hidden="true" max={1} value={copy.part} />
        ) : null}
        {copy.job ? (
          <IconButton
            icon={closeIcon}
            label={trans.__('Cancel fetching %1', `${dataset.name}@${id}`)}
            disabled={copy.job.cancelling}
            tabIndex={props.active ? 0 : -1}
            onClick={() => props.onCancel(props.row)}
          />
        ) : null}
        {users ? <Badge>{trans._n('%1 user', '%1 users', users)}</Badge> : null}
        {copy.cached?.pins.length ? <Badge>{trans.__('pinned')}</Badge> : null}
      </div>
      <div className="jp-GpuQuota-treeLine jp-GpuQuota-quiet">
        <span className="jp-GpuQuota-status">{text}</span>
      </div>
    </Shell>
  );
}

function NoteRow(
  props: IProps<Extract<Row, { kind: 'pending' | 'empty' | 'error' }>>
): JSX.Element {
  const { trans } = useUi();
  const { dataset, kind, message } = props.row;
  const texts = {
    pending: trans.__('Loading…'),
    empty: trans.__(
      'No versions yet. In a terminal: %1',
      `jupyter gpu data sync ${dataset.name} FOLDER`
    ),
    error: message
  };
  return (
    <Shell {...props} level={2} label={texts[kind]} title={texts[kind]}>
      <p className="jp-GpuQuota-treeNote">{texts[kind]}</p>
    </Shell>
  );
}
