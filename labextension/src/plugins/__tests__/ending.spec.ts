import { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { createElement } from 'react';
import { makePage, makeSession } from '../../__tests__/builders';
import { ending, reclaimed } from '../../__tests__/endings';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs, NO_ARGS } from '../../commands';
import { follow } from '../sessionpage/ending';

const WHY = 'Suspended on request. Resume brings it back.';
const RESUME = CommandIDs.resumeHere;
const OUTER = 'http://hub.test/user/ana/';

describe("the page of a session, when the session's end comes", () => {
  let page: Page;
  let commands: CommandRegistry;
  let unsaved: number;
  let kept: number;
  let failure: Signal<object, void>;
  let reload: jest.Mock;
  let load: () => Promise<void>;

  beforeEach(async () => {
    window.sessionStorage.clear();
    jest.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00Z') });
    page = new Page();
    jest.replaceProperty(page.store, 'here', 's1');
    [unsaved, kept] = [0, 0];
    failure = new Signal({});
    reload = jest.fn();
    const services = {
      serviceManager: {
        serverSettings: {
          ...page.server.settings,
          baseUrl: `${OUTER}gpuquota/s/s1/`
        },
        connectionFailure: failure
      }
    };
    const saving = {
      get unsaved() {
        return unsaved;
      },
      save: async () => {
        unsaved = kept;
        return unsaved;
      },
      giveBack: async () => undefined
    };
    load = async () => {
      commands = new CommandRegistry();
      const app = { ...services, commands } as unknown as JupyterFrontEnd;
      follow(app, page.store, page.trans, saving, { reload });
      await jest.advanceTimersByTimeAsync(10);
    };
    await load();
    await see(makeSession());
  });

  afterEach(async () => {
    Dialog.tracker.filter(() => true).forEach(dialog => dialog.reject());
    await see(makeSession({ run: 9 })); // what counts down, ends
    Notification.dismiss();
    page.dispose();
    jest.useRealTimers();
  });

  const answer = (...sessions: Session[]) =>
    page.server.on('GET /sessions', { body: makePage(sessions) });
  const read = async () => {
    await page.store.sessions.refresh();
    await jest.advanceTimersByTimeAsync(10);
  };
  const see = async (...sessions: Session[]) => {
    answer(...sessions);
    await read();
  };
  const end = () => {
    const message = 'exp-1 is suspended, not running.';
    const body = { code: 'WrongState', message, hint: WHY, fields: [] };
    page.server.on('GET /sessions', { status: 409, body });
  };
  const close = async () => {
    end();
    await read();
  };
  const dialogs = () => [...document.querySelectorAll('.jp-Dialog')];
  const title = () => document.querySelector('.jp-Dialog-header')?.textContent;
  const body = () => document.querySelector('.jp-Dialog-body')?.textContent;
  const labels = () =>
    [...document.querySelectorAll('.jp-Dialog button')].map(
      button => button.textContent
    );
  const press = async (label: string) => {
    [...document.querySelectorAll<HTMLElement>('.jp-Dialog button')]
      .find(button => button.textContent === label)
      ?.click();
    await jest.advanceTimersByTimeAsync(10);
  };
  const mayResume = () => commands.isVisible(RESUME);
  const notices = () => Notification.manager.notifications;
  const messages = () => notices().map(({ message }) => message);
  const click = async (label: string) => {
    notices()[0]
      .options.actions?.find(action => action.label === label)
      ?.callback(new MouseEvent('click', { cancelable: true }));
    await jest.advanceTimersByTimeAsync(10);
  };

  it.each([
    ['suspend', 'exp-1 was suspended', true],
    ['stop', 'exp-1 was stopped', true],
    ['requeue', 'exp-1 is restarting', false]
  ])('explains the end once: %s', async (goal, said, canResume) => {
    await see(ending({ goal }));
    await close();
    await close();
    expect(dialogs()).toHaveLength(1);
    expect(title()).toBe(said);
    expect(body()).toContain('Suspended on request. Your documents were saved');
    expect(labels()).toEqual([
      'Stay here',
      'Back to JupyterLab',
      ...(canResume ? ['Resume'] : [])
    ]);
    expect(body()!.includes('exp-1 restarts automatically')).toBe(!canResume);
  });

  it.each([
    [1, 'The GPU of exp-1 was reclaimed'],
    [2, 'The GPUs of exp-1 were reclaimed']
  ])('says that GPUs were taken back: %s', async (count, said) => {
    const placement = makeSession().placement!;
    const slices = Array(count).fill(placement.slices[0]);
    await see({ ...reclaimed(), placement: { ...placement, slices } });
    await close();
    expect(title()).toBe(said);
    expect(body()).toMatch(/exp-1 restarts .* and this page will reconnect\.$/);
    expect(messages()).toEqual([]); // the countdown is over
    expect(labels()).not.toContain('Resume');
    expect(mayResume()).toBe(false);
  });

  it('tells of changes that are only here', async () => {
    unsaved = 2;
    await see(ending());
    await close();
    expect(body()).toContain(
      '2 documents have unsaved changes: keep this page open'
    );
  });

  it('has the words of the ingress for an end that it has not seen coming', async () => {
    await close();
    expect(dialogs()).toEqual([]); // it may only be slow for a moment
    expect(mayResume()).toBe(false);
    await close();
    expect(title()).toBe('exp-1 is not running');
    expect(body()).toContain(WHY);
  });

  it('takes back what it said of a session that was only slow', async () => {
    await close();
    await close();
    await see(makeSession());
    expect(dialogs()).toEqual([]);
    expect(reload).not.toHaveBeenCalled();
  });

  it('leads back to JupyterLab', async () => {
    await see(ending());
    await close();
    const execute = jest.fn();
    commands.addCommand(CommandIDs.back, {
      execute,
      describedBy: { args: NO_ARGS }
    });
    await press('Back to JupyterLab');
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('resumes it once it has ended, and loads itself anew once it runs', async () => {
    const message = 'exp-1 is stopping.';
    const body = { code: 'WrongState', message, hint: '', fields: [] };
    page.server.on('POST /sessions/s1/resume', { status: 409, body });
    unsaved = 1;
    await see(ending());
    await close();
    await press('Resume');
    expect(messages()).toEqual([
      'exp-1 is resuming. This page will reconnect automatically.'
    ]);
    page.server.on('POST /sessions/s1/resume', { body: makeSession() });
    await jest.advanceTimersByTimeAsync(1100);
    expect(page.server.count('POST /sessions/s1/resume')).toBe(2);
    expect(reload).not.toHaveBeenCalled();
    answer(makeSession({ run: 2 }));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(unsaved).toBe(0);
    expect(reload).toHaveBeenCalledTimes(1);
    expect(messages()).toEqual([]);
  });

  it('says why it cannot be resumed, and offers it on', async () => {
    const body = {
      code: 'OverQuota',
      message: 'That is too much.',
      hint: '',
      fields: []
    };
    page.server.on('POST /sessions/s1/resume', { status: 409, body });
    await see(ending());
    await close();
    await press('Resume');
    expect(messages()).toContain('That is too much.');
    expect(mayResume()).toBe(true);
    expect(messages()).toContain(
      'exp-1 is not running: nothing can be saved here.'
    );
  });

  it.each(['notice', 'menu'])('resumes from its %s, too', async from => {
    page.server.on('POST /sessions/s1/resume', { body: makeSession() });
    await see(ending());
    await close();
    await press('Stay here');
    expect(dialogs()).toEqual([]);
    expect(mayResume()).toBe(true);
    await (from === 'notice' ? click('Resume') : commands.execute(RESUME));
    expect(mayResume()).toBe(false);
    expect(page.server.count('POST /sessions/s1/resume')).toBe(1);
  });

  it('comes back when anybody resumes it, but not with unsaved changes', async () => {
    await see(ending());
    await close();
    kept = 1;
    await see(makeSession({ run: 2 }));
    expect(dialogs()).toEqual([]);
    expect(reload).not.toHaveBeenCalled();
    expect(messages()).toEqual([
      'exp-1 is running again, but 1 document could not be saved. Copy what you need, then reload.'
    ]);
    kept = 0;
    await click('Try again');
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('says after it was loaded anew that kernels are new, until that is dismissed', async () => {
    await see(makeSession({ run: 2, since: '2026-01-01T05:47:00' }));
    expect(messages()).toEqual([]);
    await load();
    expect(messages().join()).toMatch(
      /^exp-1 was restarted at .*5:47.AM\. Its kernels are new: run your cells again\.$/
    );
    await load();
    expect(messages()).toHaveLength(2); // a real page would have lost the first one
    Notification.dismiss();
    await load();
    expect(messages()).toEqual([]);
  });

  it('is not covered by what JupyterLab takes the end for', async () => {
    const fail = async (said: string) => {
      const body = createElement('div');
      void showDialog({ title: said, body, buttons: [Dialog.okButton()] });
      await jest.advanceTimersByTimeAsync(100);
    };
    const said = ['Error Starting Kernel', 'File Save Error for a.ipynb'];
    await see(ending());
    await fail(said[0]);
    await close();
    await fail(said[1]);
    expect(dialogs()).toHaveLength(1);
    expect(body()).toContain('Suspended on request.');
    await press('Stay here');
    await fail(said[0]);
    await fail(said[1]);
    expect(dialogs()).toEqual([]);
    await see(makeSession());
    await fail(said[1]);
    expect(dialogs()).toHaveLength(1);
  });

  it('looks at once where the connection fails', async () => {
    await see(ending());
    end();
    failure.emit();
    await jest.advanceTimersByTimeAsync(10);
    expect(dialogs()).toHaveLength(1);
  });
});
