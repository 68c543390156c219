import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useMemo } from 'react';
import { Groups, NodeGroup } from '../../api/models';
import { clusterOf } from '../../state/quota';
import { GroupField, groupSubject } from '../../state/settings/groupsubject';
import { choicesText } from './choices';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { removeGroup } from './removing';
import { useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { SettingTable } from './settingtable';
import { useResult, useUi } from '../parts/ui';

type Column = ITableColumn<NodeGroup>;

/** Show the node groups, and have them changed unless a file sets them. */
export function GroupSection(props: {
  groups: Groups;
  isFixed: boolean;
}): JSX.Element {
  const { groups, isFixed } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const nodes = useNodeNames();
  const subject = useMemo(() => groupSubject(administration), [administration]);
  const editor = useEditor({
    subject,
    saved: ({ name }) => trans.__('%1 was saved.', name.trim()),
    remove: base => removeGroup(administration, base, trans)
  });
  const columns = useCallback(
    (onEdit?: (group: NodeGroup) => void) => groupColumns(trans, onEdit),
    [trans]
  );
  const baseOf = useCallback(
    (group?: NodeGroup) => ({ groups, group }),
    [groups]
  );
  return (
    <SettingTable
      title={trans.__('Node groups')}
      file="gpu-node-groups"
      columns={columns}
      rows={groups.items}
      idOf={({ name }) => name}
      sort="name"
      empty={trans.__('No node groups.')}
      isFixed={isFixed}
      editor={editor}
      baseOf={baseOf}
      label={trans.__('New group')}
      textsOf={({ group }) => textsOf(group, nodes, trans)}
    />
  );
}

function useNodeNames(): readonly string[] {
  const nodes = useResult(useUi().workspace.nodes);
  return nodes.status === 'ready'
    ? nodes.value.nodes.map(({ name }) => name).filter(name => !clusterOf(name))
    : [];
}

function groupColumns(
  trans: TranslationBundle,
  onEdit?: (group: NodeGroup) => void
): Column[] {
  const plain = (
    id: string,
    label: string,
    text: (group: NodeGroup) => string
  ): Column => ({ id, label, text, sortKey: text });
  return [
    {
      ...plain('name', trans.__('Group'), ({ name }) => name),
      cell: group => (
        <EditableName
          name={group.name}
          title={trans.__('Change or delete %1', group.name)}
          onEdit={onEdit && (() => onEdit(group))}
        />
      )
    },
    plain(
      'nodes',
      trans.__('Nodes'),
      ({ nodes }) => nodes?.join(', ') || trans.__('none')
    ),
    plain('separate', trans.__('Compute and memory shares'), ({ separate }) =>
      separate ? trans.__('separate') : trans.__('mixed')
    )
  ];
}

function textsOf(
  group: NodeGroup | undefined,
  nodes: readonly string[],
  trans: TranslationBundle
): IFormTexts<GroupField> {
  return {
    title: group ? trans.__('Change %1', group.name) : trans.__('New group'),
    fields: {
      name: {
        label: trans.__('Name'),
        help: trans.__(
          'Projects and requests refer to the group by this name.'
        ),
        isFixed: true
      },
      nodes: {
        label: trans.__('Nodes'),
        help: [trans.__('Comma-separated.'), choicesText(nodes, trans)]
          .filter(Boolean)
          .join(' '),
        names: nodes,
        isList: true
      },
      separate: {
        label: trans.__('Separate compute-share and memory-share sessions'),
        as: 'box',
        help: trans.__(
          'On these nodes, sessions with a compute share and sessions with only a memory share never run side by side.'
        )
      }
    }
  };
}
