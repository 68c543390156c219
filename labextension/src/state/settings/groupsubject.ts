import { Groups, NodeGroup } from '../../api/models';
import { IAdministration } from '../../tokens';
import { latest } from '../resource';
import { Draft, ISubject } from './settingmodel';
import { boxOf, namesOf, YES } from './formvalues';

export type GroupField = 'name' | 'nodes' | 'separate';

/** A node group among all of them, which are set together; without a group, a new one. */
export interface IGroupBase {
  readonly groups: Groups;
  readonly group?: NodeGroup;
}

/** Node groups, changed one at a time. */
export function groupSubject(
  administration: IAdministration
): ISubject<GroupField, IGroupBase> {
  return {
    fields: ['name', 'nodes', 'separate'],
    isThere: ({ group }) => !!group,
    draftOf: ({ group }) => ({
      name: group?.name ?? '',
      nodes: group?.nodes?.join(', ') ?? '',
      separate: boxOf(group?.separate)
    }),
    read: (draft, base) => {
      const groups = [...base.groups.items];
      groups[placeOf(base)] = toGroup(draft);
      return { change: { groups }, problems: [] };
    },
    fieldOf: groupFieldOf,
    find: async draft => {
      const groups = await latest(administration.groups);
      const name = draft.name.trim();
      return { groups, group: groups.items.find(item => item.name === name) };
    },
    preview: change => administration.preview(change),
    put: ({ groups }, base) =>
      administration.putGroups({
        groups: groups ?? [],
        revision: base.groups.revision
      })
  };
}

/** Return all groups but one. */
export function without(groups: Groups, { name }: NodeGroup): NodeGroup[] {
  return groups.items.filter(group => group.name !== name);
}

/** Where a group stands in the list that is sent: a new one at its end. */
function placeOf({ groups, group }: IGroupBase): number {
  return group
    ? groups.items.findIndex(({ name }) => name === group.name)
    : groups.items.length;
}

function toGroup(draft: Draft<GroupField>): NodeGroup {
  return {
    name: draft.name.trim(),
    nodes: namesOf(draft.nodes),
    separate: draft.separate === YES
  };
}

/** A problem of another group, or of them all, is of no field of this one's form. */
function groupFieldOf(wire: string, base: IGroupBase): GroupField | undefined {
  const [, index, field = 'name'] =
    /^groups\[(\d+)\](?:\.(name|nodes|separate)(?:\[\d+\])?)?$/.exec(wire) ??
    [];
  return Number(index) === placeOf(base) ? (field as GroupField) : undefined;
}
