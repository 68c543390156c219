import React from 'react';
import { moreIcon } from '../../icons';
import { IconButton } from '../parts/controls';
import { IPoint, pointOf } from '../parts/menu';
import { useUi } from '../parts/ui';
import { IRowProps } from '../parts/virtuallist';

/** A field for words to look for in a list; `label` says in what. */
export function FilterField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  return (
    <input
      type="search"
      className="jp-GpuQuota-input"
      placeholder={useUi().trans.__('Filter')}
      aria-label={props.label}
      value={props.value}
      onChange={event => props.onChange(event.target.value)}
    />
  );
}

/** Opens the menu of a row at a point. */
export type OnMenu = (at: IPoint, from: HTMLElement) => void;

/** One row of a virtual list with a menu, at its place. */
export function ListRow(
  props: IRowProps &
    Pick<
      React.HTMLAttributes<HTMLElement>,
      'aria-label' | 'aria-level' | 'aria-expanded' | 'title'
    > & {
      kind?: string;
      onMenu: OnMenu;
      children: React.ReactNode;
      actions?: React.ReactNode;
    }
): JSX.Element {
  const { actions, active, children, height, id, index, kind, onMenu, top } =
    props;
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-level={props['aria-level']}
      aria-expanded={props['aria-expanded']}
      aria-label={props['aria-label']}
      title={props.title}
      className={`jp-GpuQuota-row${kind ? ` jp-mod-${kind}` : ''}`}
      data-row={id}
      style={{ top, height }}
      tabIndex={active ? 0 : -1}
      onContextMenu={event => {
        event.preventDefault();
        event.stopPropagation();
        onMenu(pointOf(event), event.currentTarget);
      }}
    >
      <div role="gridcell" className="jp-GpuQuota-rowText">
        {children}
      </div>
      {actions ? (
        <div role="gridcell" className="jp-GpuQuota-rowActions">
          {actions}
        </div>
      ) : null}
    </div>
  );
}

/** The button that opens the menu of a row. */
export function MoreButton(props: {
  name: string;
  active: boolean;
  onMenu: OnMenu;
}): JSX.Element {
  const { trans } = useUi();
  return (
    <IconButton
      icon={moreIcon}
      label={trans.__('More actions on %1', props.name)}
      aria-haspopup="menu"
      tabIndex={props.active ? 0 : -1}
      onClick={event => {
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        props.onMenu({ x: left, y: bottom }, event.currentTarget);
      }}
    />
  );
}
