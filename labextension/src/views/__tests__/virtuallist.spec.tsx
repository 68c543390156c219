import { fireEvent, render, screen } from '@testing-library/react';
import React, { useState } from 'react';
import { focus } from '../../__tests__/page';
import { VirtualList } from '../parts/virtuallist';

const HEIGHT = 20;
const ITEMS = Array.from({ length: 1000 }, (_, index) => `item-${index}`);
const idOf = (item: string) => item;

function List(props: {
  items?: string[];
  first?: string;
  onKey?: (item: string, key: string) => void;
}): JSX.Element {
  const [target, setTarget] = useState(props.first ?? null);
  return (
    <VirtualList
      label="Things"
      items={props.items ?? ITEMS}
      idOf={idOf}
      rowHeight={HEIGHT}
      target={target}
      onTarget={() => setTarget(null)}
      onKey={(item, event) => props.onKey?.(item, event.key)}
      row={(item, { active, id, top, height }) => (
        <div
          key={id}
          role="row"
          data-row={id}
          style={{ top, height }}
          tabIndex={active ? 0 : -1}
        >
          <div role="gridcell">{item}</div>
        </div>
      )}
    />
  );
}

describe('a virtual list', () => {
  beforeEach(() => {
    // jsdom lays nothing out: the list is ten rows high.
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(10 * HEIGHT);
  });
  afterEach(() => jest.restoreAllMocks());

  const rows = () => screen.getAllByRole('row').map(row => row.dataset.row);
  const press = (key: string) => fireEvent.keyDown(focused(), { key });
  const focused = () => document.activeElement as HTMLElement;

  it('draws what is in sight, and says how much there is', () => {
    render(<List />);
    expect(rows().length).toBeLessThan(50);
    expect(rows()[0]).toBe('item-0');
    const grid = screen.getByRole('grid', { name: 'Things' });
    expect(grid.getAttribute('aria-rowcount')).toBe('1000');
  });

  it('draws other rows where it is scrolled to', () => {
    render(<List />);
    const grid = screen.getByRole('grid');
    grid.scrollTop = 500 * HEIGHT;
    fireEvent.scroll(grid);
    expect(rows()).toContain('item-500');
    expect(rows()).toContain('item-509');
    expect(rows()).not.toContain('item-400');
  });

  it('has one row that Tab reaches', () => {
    render(<List />);
    const reached = screen
      .getAllByRole('row')
      .filter(row => row.tabIndex === 0)
      .map(row => row.dataset.row);
    expect(reached).toEqual(['item-0']);
  });

  it('goes from row to row by keys, however far', () => {
    render(<List />);
    focus(screen.getAllByRole('row')[0]);
    const visited = ['ArrowDown', 'PageDown', 'ArrowUp', 'End', 'Home'].map(
      key => {
        press(key);
        return focused().dataset.row;
      }
    );
    expect(visited).toEqual([
      ...['item-1', 'item-10', 'item-9', 'item-999', 'item-0']
    ]);
  });

  it('passes other keys on with the row', () => {
    const onKey = jest.fn();
    render(<List onKey={onKey} />);
    focus(screen.getAllByRole('row')[0]);
    press('ArrowDown');
    press('Enter');
    expect(onKey).toHaveBeenCalledWith('item-1', 'Enter');
  });

  it('shows and focuses the row that is asked for, now or once it is there', () => {
    const { rerender } = render(<List first="item-700" items={['item-1']} />);
    expect(focused().dataset.row).toBeUndefined();
    rerender(<List first="item-700" />);
    expect(focused().dataset.row).toBe('item-700');
  });

  it('leaves the focus where the user has gone until the row is there', () => {
    const view = (items: string[]) => (
      <>
        <input aria-label="elsewhere" />
        <List first="item-700" items={items} />
      </>
    );
    const { rerender } = render(view(['item-1']));
    const field = screen.getByLabelText('elsewhere');
    focus(field);
    rerender(view(ITEMS));
    expect(focused()).toBe(field);
    expect(screen.getByText('item-700')).toBeTruthy();
  });

  it('keeps the row with the focus when it is scrolled out of sight', () => {
    render(<List first="item-3" />);
    const grid = screen.getByRole('grid');
    grid.scrollTop = 800 * HEIGHT;
    fireEvent.scroll(grid);
    expect(focused().dataset.row).toBe('item-3');
  });
});
