import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import { Session } from '../../api/models';
import { IPoint, openMenu as open } from '../parts/menu';

/**
 * Open a menu of what can be done to a session; an empty command is a separator. `from` has the
 * focus again once the menu has closed, which `onClose` hears of.
 */
export function openMenu(
  commands: CommandRegistry,
  items: readonly string[],
  { id }: Session,
  at: IPoint,
  from: HTMLElement,
  onClose?: () => void
): void {
  const menu = new Menu({ commands });
  for (const command of items) {
    menu.addItem(command ? { command, args: { id } } : { type: 'separator' });
  }
  open(menu, at, from, onClose);
}
