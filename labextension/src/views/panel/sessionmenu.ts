import { CommandRegistry } from '@lumino/commands';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Menu } from '@lumino/widgets';
import { Session } from '../../api/models';
import { IPoint, openMenu as open } from '../parts/menu';

/** A command on a session, with what it needs to know besides. */
export interface IMenuEntry {
  command: string;
  args: ReadonlyPartialJSONObject;
}

/**
 * Open a menu of what can be done to a session; an empty command is a separator. `from` has the
 * focus again once the menu has closed, which `onClose` hears of.
 */
export function openMenu(
  commands: CommandRegistry,
  items: readonly (string | IMenuEntry)[],
  { id }: Session,
  at: IPoint,
  from: HTMLElement,
  onClose?: () => void
): void {
  const menu = new Menu({ commands });
  for (const item of items) {
    const { args, command } =
      typeof item === 'string' ? { args: {}, command: item } : item;
    menu.addItem(
      command ? { command, args: { ...args, id } } : { type: 'separator' }
    );
  }
  open(menu, at, from, onClose);
}
