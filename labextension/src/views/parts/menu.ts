import { LabIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import React from 'react';
import { NO_ARGS } from '../../commands';

/** Where a menu opens, in the page. */
export interface IPoint {
  x: number;
  y: number;
}

/** One action of a menu. */
export interface IEntry {
  readonly label: string;
  readonly icon?: LabIcon;
  readonly run: () => void;
}

/** Return where a context menu opens: at the pointer, or below a row if a key asked for it. */
export function pointOf(event: React.MouseEvent<HTMLElement>): IPoint {
  if (event.clientX || event.clientY) {
    return { x: event.clientX, y: event.clientY };
  }
  const { left, bottom } = event.currentTarget.getBoundingClientRect();
  return { x: left + 24, y: bottom };
}

/** Open a menu of actions that are no commands of JupyterLab; null is a separator. */
export function openActions(
  entries: readonly (IEntry | null)[],
  at: IPoint,
  from: HTMLElement
): void {
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  entries.forEach((entry, index) => {
    if (entry) {
      const command = `gpuquota-action:${index}`;
      commands.addCommand(command, {
        label: entry.label,
        icon: entry.icon,
        describedBy: { args: NO_ARGS },
        execute: entry.run
      });
      menu.addItem({ command });
    } else {
      menu.addItem({ type: 'separator' });
    }
  });
  openMenu(menu, at, from);
}

/**
 * Open a menu. It has the focus while it is open, and `from` again once it has closed, which `onClose`
 * hears of.
 */
export function openMenu(
  menu: Menu,
  at: IPoint,
  from: HTMLElement,
  onClose?: () => void
): void {
  menu.aboutToClose.connect(() => {
    from.focus();
    onClose?.();
    // Not before the command has run, which happens after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  menu.node.addEventListener('focusout', ({ relatedTarget }) => {
    if (
      relatedTarget instanceof Element &&
      !menu.node.contains(relatedTarget)
    ) {
      // A view that comes late takes the focus, and the menu would stay open without the keyboard.
      // A dialog does not give it back.
      if (relatedTarget.closest('.jp-Dialog')) {
        menu.close();
      } else {
        menu.activate();
      }
    }
  });
  menu.open(at.x, at.y);
}
