import React, { useMemo } from 'react';
import { AuditEntry, PageAuditEntry } from '../../api/models';
import { differenceOf } from '../../state/settings/audit';
import { DataTable, ITableColumn } from '../parts/datatable';
import { timeText } from '../parts/texts';
import { IUi, useUi } from '../parts/ui';

/** Show who changed what, newest first. */
export function AuditTable({ page }: { page: PageAuditEntry }): JSX.Element {
  const ui = useUi();
  const { trans } = ui;
  const columns = useMemo(() => auditColumns(ui), [ui]);
  const { items, total } = page;
  return (
    <>
      <DataTable
        title={trans.__('Changes')}
        file="gpu-project-changes"
        columns={columns}
        rows={items}
        idOf={({ id }) => id}
        sort={{ column: 'at', descending: true }}
        empty={trans.__('No changes yet.')}
      />
      {total > items.length ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Showing the newest %1 of %2. To see more, run: jupyter gpu project audit',
            items.length,
            total
          )}
        </p>
      ) : null}
    </>
  );
}

function auditColumns({ trans }: IUi): ITableColumn<AuditEntry>[] {
  const side = (id: 'before' | 'after', label: string) => {
    const text = (entry: AuditEntry) => differenceOf(entry)[id];
    return {
      id,
      label,
      text,
      sortKey: text,
      csv: (entry: AuditEntry) => entry[id],
      cell: (entry: AuditEntry) => (
        <span className="jp-GpuQuota-lines">{text(entry)}</span>
      )
    };
  };
  return [
    {
      id: 'at',
      label: trans.__('When'),
      sortKey: ({ at }) => Date.parse(at),
      text: ({ at }) => timeText(at),
      csv: ({ at }) => at
    },
    {
      id: 'who',
      label: trans.__('Who'),
      sortKey: ({ who }) => who,
      text: ({ who }) => who
    },
    {
      id: 'what',
      label: trans.__('What'),
      sortKey: ({ what }) => what,
      text: ({ sentence, what }) => sentence?.text ?? what
    },
    side('before', trans.__('Before')),
    side('after', trans.__('After'))
  ];
}
