import { Notification } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import {
  fireEvent,
  getByLabelText,
  queryByLabelText,
  waitFor
} from '@testing-library/react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { clockText } from '../../views/parts/texts';
import { addSessionCommands } from '../sessioncommands';

const FAILED = makeSession({ id: 's2', state: 'failed' });

const TRAINED = makeSession({
  id: 's3',
  state: 'done',
  spec: { kind: 'train', command: ['train'] }
});

describe('commands on sessions', () => {
  let page: Page;
  let commands: CommandRegistry;

  beforeEach(async () => {
    page = new Page();
    commands = new CommandRegistry();
    addSessionCommands(commands, page.store, page.trans);
    page.server.on('GET /sessions', {
      body: makePage([makeSession(), FAILED, TRAINED])
    });
    await page.store.sessions.refresh();
  });

  afterEach(() => {
    Notification.dismiss();
    page.dispose();
    document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
  });

  const run = (id: string, session = 's1') =>
    commands.execute(id, { id: session });
  const notices = () =>
    Notification.manager.notifications.map(({ message }) => message);
  const click = async (label: string) => {
    await waitFor(() => expect(button(label)).toBeTruthy());
    button(label)?.click();
  };
  const button = (label: string) =>
    [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')].find(
      ({ textContent }) => textContent?.trim() === label
    );

  it('can be done to what they fit', () => {
    expect(commands.isEnabled(CommandIDs.open, { id: 's1' })).toBe(true);
    expect(commands.isEnabled(CommandIDs.open, { id: 's2' })).toBe(false);
    expect(commands.isEnabled(CommandIDs.remove, { id: 's1' })).toBe(false);
    expect(commands.isVisible(CommandIDs.resume, { id: 's1' })).toBe(false);
    expect(commands.isVisible(CommandIDs.resume, { id: 's2' })).toBe(true);
    expect(commands.isEnabled(CommandIDs.stop, { id: 'gone' })).toBe(false);
  });

  it('ask which session, where none is named', () => {
    expect(commands.isEnabled(CommandIDs.stop)).toBe(true);
    expect(commands.label(CommandIDs.stop)).toContain('…');
  });

  it('open a session so that its pages cannot reach this one', async () => {
    const open = jest.spyOn(window, 'open').mockReturnValue(null);
    await run(CommandIDs.open);
    expect(open).toHaveBeenCalledWith(
      'http://hub.test/user/ana/gpuquota/s/s1/',
      '_blank',
      'noopener'
    );
    open.mockRestore();
  });

  it('stop only what the user confirms', async () => {
    page.server.on('POST /sessions/s1/stop', { body: makeSession() });
    const agreed = run(CommandIDs.stop);
    await click('Stop');
    await agreed;
    expect(page.server.count('POST /sessions/s1/stop')).toBe(1);
  });

  it('keep a session alive as long as the policy allows, and say until when', async () => {
    const kept = { until: '2026-01-01T15:00:00Z', times: 1 };
    page.server.on('POST /sessions/s1/keep-alive', {
      body: makeSession({ kept })
    });
    await run(CommandIDs.keepAlive);
    const asked = page.server.asked.find(({ path }) =>
      path.endsWith('/keep-alive')
    );
    expect(asked?.body).toEqual({ span: '' });
    expect(notices()).toEqual([
      `exp-1 is kept alive until ${clockText(kept.until)}`
    ]);
    expect(commands.isVisible(CommandIDs.keepAlive, { id: 's2' })).toBe(false);
  });

  it('say why the policy keeps nothing alive', async () => {
    page.server.on('POST /sessions/s1/keep-alive', {
      status: 403,
      body: {
        code: 'NotAllowed',
        message: 'The policy lets nobody keep exp-1 alive.',
        hint: 'Use it, or ask an admin.',
        fields: []
      }
    });
    await run(CommandIDs.keepAlive);
    expect(notices()).toEqual([
      'The policy lets nobody keep exp-1 alive. Use it, or ask an admin.'
    ]);
  });

  describe('relaunch', () => {
    const share = { milli: 250, memory: 0, compute: 0, mig: '' };
    const advise = (advice: object) =>
      page.server.on('GET /sessions/s1/advice', { body: advice });
    const dialog = () => document.querySelector('.jp-Dialog')?.textContent;

    it('with the advised share, once the user has confirmed', async () => {
      advise({ verdict: 'smaller', message: '0.25 would do.', share });
      page.server.on('POST /sessions/s1/resize', { body: makeSession() });
      const refused = run(CommandIDs.relaunch);
      await click('Cancel');
      await refused;
      expect(page.server.count('POST /sessions/s1/resize')).toBe(0);
      const agreed = run(CommandIDs.relaunch);
      await waitFor(() => expect(button('Relaunch')).toBeTruthy());
      expect(dialog()).toContain('Relaunch exp-1 with ¼ GPU?');
      expect(dialog()).toContain('kernel memory is lost');
      await click('Relaunch');
      await agreed;
      const asked = page.server.asked.find(({ path }) =>
        path.endsWith('/resize')
      );
      expect(asked?.body).toEqual({ gpu: '0.25' });
    });

    it('nothing where no other share is advised, and say why', async () => {
      advise({ verdict: 'fits', message: 'its share is right.', share: null });
      const done = run(CommandIDs.relaunch);
      await waitFor(() => expect(dialog()).toContain('its share is right.'));
      await click('Ok');
      await done;
    });
  });

  it('take a session to another share that is chosen, larger or smaller', async () => {
    const problem = { field: 'gpu_memory', message: 'Too much.', hint: '' };
    page.server.on('POST /sessions/s1/resize', {
      status: 422,
      body: { code: 'InvalidFields', message: '', fields: [problem] }
    });
    const done = run(CommandIDs.changeShare);
    await waitFor(() => expect(button('Relaunch')).toBeTruthy());
    const dialog = document.querySelector('.jp-Dialog') as HTMLElement;
    await waitFor(() =>
      expect(dialog.textContent).toContain('kernel memory is lost')
    );
    const half = getByLabelText(dialog, /½/) as HTMLInputElement;
    expect(half.checked).toBe(true);
    expect(queryByLabelText(dialog, 'CPU only')).toBeNull();
    fireEvent.click(getByLabelText(dialog, 'Custom…'));
    fireEvent.change(getByLabelText(dialog, 'Specify by'), {
      target: { value: 'memory' }
    });
    const memory = getByLabelText(dialog, 'GPU memory');
    fireEvent.change(memory, { target: { value: '99Gi' } });
    await click('Relaunch');
    await waitFor(() =>
      expect(memory.getAttribute('aria-invalid')).toBe('true')
    );
    expect(dialog.textContent).toContain('Too much.');
    page.server.on('POST /sessions/s1/resize', { body: makeSession() });
    fireEvent.click(getByLabelText(dialog, /¼/));
    await click('Relaunch');
    await done;
    const bodies = page.server.asked
      .filter(({ path }) => path.endsWith('/resize'))
      .map(({ body }) => body);
    expect(bodies).toEqual([
      { gpu_memory: '99Gi', gpu_compute: '' },
      { gpu: '0.25' }
    ]);
  });

  it('run a training again that has ended, and resume the rest', () => {
    expect(commands.label(CommandIDs.resume, { id: 's2' })).toBe('Resume');
    expect(commands.label(CommandIDs.resume, { id: 's3' })).toBe('Run Again');
    expect(commands.label(CommandIDs.resume)).toContain('…');
  });

  it('launch a session again from a form that is filled in', async () => {
    const asked: unknown[] = [];
    commands.addCommand(CommandIDs.launch, {
      describedBy: { args: null },
      execute: args => {
        asked.push(args.session);
      }
    });
    for (const id of ['s1', 's2', 's3']) {
      await run(CommandIDs.launchAgain, id);
    }
    expect(asked).toEqual(['s1', 's2', 's3']);
  });

  it('say why something failed, and what to do', async () => {
    page.server.on('POST /sessions/s2/resume', {
      status: 409,
      body: {
        code: 'WrongState',
        message: 'It runs already.',
        hint: 'Suspend it first.',
        fields: []
      }
    });
    await run(CommandIDs.resume, 's2');
    expect(notices()).toEqual(['It runs already. Suspend it first.']);
  });

  it('say a long failure in a notice that leads to all of it', async () => {
    const message = `It ${'really '.repeat(40)}failed.`;
    page.server.on('POST /sessions/s2/resume', {
      status: 500,
      body: { code: 'Internal', message, hint: '', fields: [] }
    });
    await run(CommandIDs.resume, 's2');
    const [notice] = Notification.manager.notifications;
    expect(notice.message.length).toBeLessThanOrEqual(140);
    notice.options.actions?.[0].callback({} as MouseEvent);
    await waitFor(() =>
      expect(document.querySelector('.jp-Dialog')?.textContent).toContain(
        'failed.'
      )
    );
  });

  it('delete with a way back', async () => {
    const done = run(CommandIDs.remove, 's2');
    expect(page.store.removals.isShown(FAILED)).toBe(false);
    const [notice] = Notification.manager.notifications;
    expect(notice.options.actions?.[0].label).toBe('Undo');
    notice.options.actions?.[0].callback({} as MouseEvent);
    await done;
    expect(page.store.removals.isShown(FAILED)).toBe(true);
    expect(page.server.count('DELETE /sessions/s2')).toBe(0);
    expect(page.store.takeRevealed()).toBe('s2');
    expect(notices()).toEqual([]);
  });
});
