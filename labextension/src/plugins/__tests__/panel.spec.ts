import { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { waitFor } from '@testing-library/react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
// Loaded before, as the plugin itself loads it when the panel is first shown.
import '../../views/panel/sidebar';
import { panel } from '../panel';

describe('the panel that is shown by its command', () => {
  let page: Page;
  let shown: Widget;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    const app = {
      commands: new CommandRegistry(),
      restored: new Promise(() => undefined),
      shell: { add: (widget: Widget) => (shown = widget) }
    } as unknown as JupyterFrontEnd;
    void panel.activate(app, page.store, null, null, null);
    Widget.attach(shown, document.body);
  });

  afterEach(() => {
    shown.dispose();
    page.dispose();
  });

  const activate = () =>
    MessageLoop.sendMessage(shown, Widget.Msg.ActivateRequest);

  it('has the focus even before its sessions are drawn', async () => {
    activate();
    await waitFor(() => expect(document.activeElement).toBe(shown.node));
  });

  it('puts the focus on a session once there is one', async () => {
    await page.store.sessions.refresh();
    await waitFor(() =>
      expect(shown.node.querySelector('[data-row]')).not.toBeNull()
    );
    activate();
    await waitFor(() =>
      expect(document.activeElement?.hasAttribute('data-row')).toBe(true)
    );
  });
});
