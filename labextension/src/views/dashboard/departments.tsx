import React from 'react';
import { Department, Quota } from '../../api/models';
import { pathOf } from '../../state/quota';
import { DataTable, ITableColumn } from '../parts/datatable';
import { gpus } from '../parts/texts';
import { useUi } from '../parts/ui';

/** What departments are guaranteed, limited to, and hold, where the engine has any. */
export function Departments({ quota }: { quota: Quota }): JSX.Element | null {
  const { trans } = useUi();
  const departments = quota.departments ?? [];
  const text = (
    id: string,
    label: string,
    of: (row: Department) => string
  ): ITableColumn<Department> => ({ id, label, text: of, sortKey: of });
  const amount = (
    id: 'quota' | 'limit' | 'allocated',
    label: string
  ): ITableColumn<Department> => ({
    id,
    label,
    isNumber: true,
    text: row =>
      row[id] === null ? trans.__('unlimited') : gpus(row[id] as number),
    sortKey: row => row[id] ?? Infinity,
    csv: row => (row[id] === null ? null : (row[id] as number) / 1000)
  });
  const path = (row: Department) =>
    pathOf(quota, row)
      .map(({ name }) => name)
      .reverse();
  return departments.length ? (
    <DataTable
      title={trans.__('Departments')}
      file="gpu-departments"
      columns={[
        {
          ...text('name', trans.__('Department'), ({ name }) => name),
          // A tree: each department follows the one that it is part of.
          sortKey: row => path(row).join(' / '),
          cell: row => (
            <span style={{ paddingInlineStart: `${path(row).length - 1}em` }}>
              {row.name}
            </span>
          )
        },
        text('parent', trans.__('Part of'), row =>
          path(row).slice(0, -1).join(' / ')
        ),
        text('projects', trans.__('Projects'), ({ projects }) =>
          projects.join(', ')
        ),
        amount('allocated', trans.__('GPUs in use')),
        amount('quota', trans.__('Quota')),
        amount('limit', trans.__('Limit'))
      ]}
      rows={departments}
      idOf={({ name }) => name}
      sort={{ column: 'name', descending: false }}
      empty={trans.__('No departments')}
    />
  ) : null;
}
