import React from 'react';
import { Project } from '../../api/models';
import { clusterOf } from '../../state/quota';
import { spanOf } from '../../state/settings/formvalues';
import { Badge, EditableName } from '../parts/controls';
import {
  DataTable,
  ITableColumn,
  plainColumn as plain
} from '../parts/datatable';
import { gpus } from '../parts/texts';
import { IUi, useUi } from '../parts/ui';

type Column = ITableColumn<Project>;

/** Show the projects as they are set; without `onEdit` they can only be read. */
export function ProjectTable(props: {
  projects: readonly Project[];
  onEdit?: (project: Project) => void;
  actions?: React.ReactNode;
}): JSX.Element {
  const { onEdit } = props;
  const ui = useUi();
  const { trans } = ui;
  const [name, ...rest] = projectColumns(ui);
  const cell = (project: Project) => (
    <EditableName
      name={project.name}
      title={trans.__('Change or delete %1', project.name)}
      onEdit={
        onEdit && !clusterOf(project.name) ? () => onEdit(project) : undefined
      }
    />
  );
  return (
    <DataTable
      title={trans.__('Projects')}
      file="gpu-projects"
      columns={[{ ...name, cell }, ...rest]}
      rows={props.projects}
      idOf={project => project.name}
      sort={{ column: 'name', descending: false }}
      empty={trans.__('No projects yet.')}
      actions={props.actions}
    />
  );
}

function projectColumns({ trans }: IUi): Column[] {
  const any = trans.__('any');
  return [
    plain('name', trans.__('Project'), ({ name }) => name),
    amount('quota', trans.__('Quota'), ({ quota }) => quota, ''),
    amount(
      'weight',
      trans.__('Weight'),
      ({ weight }) => weight,
      trans.__('=\u00a0quota')
    ),
    amount('limit', trans.__('Limit'), ({ limit }) => limit, trans.__('none')),
    {
      ...plain('priority', trans.__('Priority'), row => String(row.priority)),
      sortKey: ({ priority }) => priority,
      csv: ({ priority }) => priority
    },
    names(
      'members',
      trans.__('Members'),
      row => row.members,
      trans.__('everyone')
    ),
    names('leads', trans.__('Leads'), row => row.leads, ''),
    names('viewers', trans.__('Viewers'), row => row.viewers, ''),
    names(
      'interactive',
      trans.__('Interactive nodes'),
      row => row.node_affinity.interactive,
      any
    ),
    names(
      'train',
      trans.__('Training nodes'),
      row => row.node_affinity.train,
      any
    ),
    span(
      'duration',
      trans.__('Max. interactive time'),
      row => row.interactive_duration,
      trans.__('unlimited')
    ),
    span(
      'minimum',
      trans.__('Protected for'),
      row => row.min_runtime,
      trans.__('none')
    ),
    {
      ...plain('state', trans.__('State'), ({ draining }) =>
        draining ? trans.__('draining') : ''
      ),
      cell: ({ draining }) =>
        draining ? (
          <Badge
            kind="warning"
            title={trans.__(
              'Starts no new sessions; deleted when its last session ends'
            )}
          >
            {trans.__('draining')}
          </Badge>
        ) : null
    }
  ];
}

function amount(
  id: string,
  label: string,
  milli: (row: Project) => number | null,
  none: string
): Column {
  return {
    id,
    label,
    text: row => {
      const value = milli(row);
      return value === null ? none : gpus(value);
    },
    sortKey: row => milli(row) ?? Infinity,
    csv: row => {
      const value = milli(row);
      return value === null ? '' : value / 1000;
    }
  };
}

function names(
  id: string,
  label: string,
  list: (row: Project) => readonly string[],
  none: string
): Column {
  return plain(id, label, row => list(row).join(', ') || none);
}

function span(
  id: string,
  label: string,
  seconds: (row: Project) => number,
  none: string
): Column {
  return {
    ...plain(id, label, row => spanOf(seconds(row)) || none),
    sortKey: seconds,
    csv: seconds
  };
}
