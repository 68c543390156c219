import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { UserHours } from '../../api/models';
import { DataTable, ITableColumn } from '../parts/datatable';
import { gpus } from '../parts/texts';
import { useUi } from '../parts/ui';

type Column = ITableColumn<UserHours>;

/** Show how many GPU hours every user had, borrowed and waited for. */
export function UserHoursTable(props: {
  users: readonly UserHours[];
  /** Whether one project has all GPUs, and need not be named. */
  isWhole?: boolean;
}): JSX.Element {
  const { isWhole, users } = props;
  const { trans } = useUi();
  const columns = useMemo(
    () =>
      columnsFor(users, trans).filter(
        ({ id }) => !isWhole || !['project', 'borrowed'].includes(id)
      ),
    [users, trans, isWhole]
  );
  return (
    <>
      <DataTable
        title={trans.__('GPU hours, by user')}
        file="gpu-hours"
        columns={columns}
        rows={users}
        idOf={({ project, user }) => `${project} ${user}`}
        sort={{ column: 'allocated', descending: true }}
        empty={trans.__('No GPU use in this period.')}
      />
      {users.some(({ user }) => !user) ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            '“Not named”: recorded without user names, or users of projects you are not a member of.'
          )}
        </p>
      ) : null}
    </>
  );
}

function columnsFor(
  users: readonly UserHours[],
  trans: TranslationBundle
): Column[] {
  const name = ({ user }: UserHours) => user || trans.__('(not named)');
  const inHours = (
    id: 'allocated' | 'borrowed' | 'waited',
    label: string
  ): Column => ({
    id,
    label,
    sortKey: row => row[id],
    text: row => gpus(row[id]),
    csv: row => row[id] / 1000
  });
  const columns: Column[] = [
    {
      id: 'project',
      label: trans.__('Project'),
      sortKey: ({ project }) => project,
      text: ({ project }) => project
    },
    {
      id: 'user',
      label: trans.__('User'),
      sortKey: name,
      text: name,
      csv: ({ user }) => user
    },
    inHours('allocated', trans.__('GPU hours')),
    inHours('borrowed', trans.__('Borrowed')),
    inHours('waited', trans.__('Requested'))
  ];
  return users.some(({ utilisation }) => utilisation !== null)
    ? [...columns, utilisationColumn(trans)]
    : columns;
}

/** Return the mean over the time in which the GPUs were held; empty if nothing was measured. */
function utilisationColumn(trans: TranslationBundle): Column {
  return {
    id: 'utilisation',
    label: trans.__('% busy'),
    sortKey: ({ utilisation }) => utilisation ?? -1,
    text: ({ utilisation }) =>
      utilisation === null ? '' : String(utilisation),
    csv: ({ utilisation }) => utilisation
  };
}
