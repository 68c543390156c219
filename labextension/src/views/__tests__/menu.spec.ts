import { Dialog } from '@jupyterlab/apputils';
import { act, waitFor } from '@testing-library/react';
import { openActions } from '../parts/menu';

describe('a menu', () => {
  let from: HTMLButtonElement;
  const menu = () => document.querySelector('.lm-Menu');
  const hasFocus = () =>
    waitFor(() => expect(menu()?.contains(document.activeElement)).toBe(true));

  beforeEach(async () => {
    from = document.body.appendChild(document.createElement('button'));
    const entry = { label: 'Pin…', run: () => undefined };
    openActions([entry], { x: 0, y: 0 }, from);
    await hasFocus();
  });

  afterEach(() => {
    menu()?.remove();
    from.remove();
    act(() => Dialog.flush());
  });

  it('has the keyboard again when something late has taken the focus', async () => {
    const view = document.body.appendChild(document.createElement('input'));
    view.focus();
    expect(document.activeElement).toBe(view);
    await hasFocus();
    view.remove();
  });

  it('closes below a dialog that comes late', async () => {
    const dialog = new Dialog({ title: 'Late' });
    void dialog.launch().catch(() => undefined);
    await waitFor(() =>
      expect(dialog.node.contains(document.activeElement)).toBe(true)
    );
    await waitFor(() => expect(menu()).toBeNull());
    expect(dialog.node.contains(document.activeElement)).toBe(true);
  });

  it('gives the focus back when it closes', async () => {
    menu()?.dispatchEvent(
      new KeyboardEvent('keydown', { keyCode: 27, bubbles: true } as never)
    );
    await waitFor(() => expect(menu()).toBeNull());
    expect(document.activeElement).toBe(from);
  });
});
