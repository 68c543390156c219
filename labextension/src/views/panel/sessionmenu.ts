import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import { Session } from '../../api/models';

/** Where a menu opens, in the page. */
export interface IPoint {
  x: number;
  y: number;
}

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
  menu.aboutToClose.connect(() => {
    from.focus();
    onClose?.();
    // Not before the command has run, which happens after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  menu.open(at.x, at.y);
}
