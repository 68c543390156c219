import React, { useMemo } from 'react';
import { Groups, NodeGroup, Rules } from '../../api/models';
import { spanOf } from '../../state/settings/formvalues';
import { DataTable, plainColumn } from '../parts/datatable';
import { RuleList } from './rulelist';
import { useUi } from '../parts/ui';

/** Show what holds for all projects. */
export function RulesSection({ rules }: { rules: Rules }): JSX.Element {
  const { trans } = useUi();
  const none = trans.__('none');
  return (
    <RuleList
      title={
        <>
          {trans.__('Rules')}{' '}
          <span className="jp-GpuQuota-quiet">
            {trans.__('for all projects')}
          </span>
        </>
      }
      lines={[
        [trans.__('Time to save'), spanOf(rules.grace) || none],
        [trans.__('Protected for'), spanOf(rules.min_runtime) || none],
        [
          trans.__('Consolidate'),
          rules.consolidate ? trans.__('yes') : trans.__('no')
        ]
      ]}
    />
  );
}

/** Show the node groups. */
export function GroupSection({ groups }: { groups: Groups }): JSX.Element {
  const { trans } = useUi();
  const columns = useMemo(
    () => [
      plainColumn<NodeGroup>('name', trans.__('Group'), ({ name }) => name),
      plainColumn<NodeGroup>(
        'nodes',
        trans.__('Nodes'),
        ({ nodes }) => nodes?.join(', ') || trans.__('none')
      ),
      plainColumn<NodeGroup>(
        'separate',
        trans.__('Compute and memory shares'),
        ({ separate }) => (separate ? trans.__('separate') : trans.__('mixed'))
      )
    ],
    [trans]
  );
  return (
    <DataTable
      title={trans.__('Node groups')}
      file="gpu-node-groups"
      columns={columns}
      rows={groups.items}
      idOf={({ name }) => name}
      sort={{ column: 'name', descending: false }}
      empty={trans.__('No node groups.')}
    />
  );
}
