import { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import { createElement } from 'react';
import { makeIdle, makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { idleNotices } from '../idlenotices';

const WARNED = { warned: '2026-01-01T12:00:00Z' };
const WHY = 'It was suspended by the rule idle_timeout. Resume it.';

describe("the notices of an idle session in the session's own JupyterLab", () => {
  let page: Page;
  let isSaved: boolean | null;
  let failure: Signal<object, void>;

  beforeEach(async () => {
    jest.useFakeTimers();
    page = new Page();
    jest.replaceProperty(page.store, 'here', 's1');
    isSaved = true;
    failure = new Signal({});
    await page.store.about.refresh();
    const app = {
      commands: page.commands,
      serviceManager: {
        serverSettings: {
          baseUrl: 'http://hub.test/user/ana/gpuquota/s/s1/'
        },
        connectionFailure: failure
      }
    } as unknown as JupyterFrontEnd;
    const saving = {
      get isSaved() {
        return isSaved;
      }
    };
    void idleNotices.activate(app, page.store, null, saving);
    await see(makeSession());
  });

  afterEach(() => {
    Dialog.tracker.filter(() => true).forEach(dialog => dialog.reject());
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
  const warn = () => see(makeSession({ idle: makeIdle(20, 1, WARNED) }));
  const close = async () => {
    end();
    await read();
  };
  const dialogs = () => [...document.querySelectorAll('.jp-Dialog')];
  const body = () => document.querySelector('.jp-Dialog-body')?.textContent;
  const press = async (label: string) => {
    [...document.querySelectorAll<HTMLElement>('.jp-Dialog button')]
      .find(button => button.textContent === label)
      ?.click();
    await jest.advanceTimersByTimeAsync(10);
  };
  const messages = () =>
    Notification.manager.notifications.map(({ message }) => message);

  it('explain its end once, and lead to who can resume it', async () => {
    await close();
    expect(dialogs()).toEqual([]); // somebody has suspended it
    await warn();
    await close();
    await close();
    expect(dialogs()).toHaveLength(1);
    expect(dialogs()[0].textContent).toContain('exp-1 does not run any more');
    expect(body()).toBe(`${WHY} Open documents were saved before.`);
    expect(messages()).toEqual([]);
    const open = jest.spyOn(window, 'open').mockReturnValue(null);
    await press('Go to JupyterLab');
    expect(open).toHaveBeenCalledWith('http://hub.test/user/ana/lab', '_blank');
    open.mockRestore();
  });

  it('say of open documents what is known', async () => {
    isSaved = false;
    await warn();
    await close();
    expect(body()).toContain('some have changes that are only on this page');
    await press('Stay here');
    await see(makeSession());
    isSaved = null;
    await warn();
    await close();
    expect(body()).toBe(WHY);
  });

  it('are not covered by what JupyterLab takes the end for', async () => {
    const fail = async () => {
      const body = createElement('div');
      const buttons = [Dialog.okButton()];
      void showDialog({ title: 'Error Starting Kernel', body, buttons });
      await jest.advanceTimersByTimeAsync(100);
    };
    await warn();
    await fail();
    await close();
    await fail();
    expect(dialogs()).toHaveLength(1);
    expect(body()).toContain(WHY);
    await press('Stay here');
    expect(dialogs()).toEqual([]);
    await fail();
    expect(dialogs()).toEqual([]);
    await see(makeSession());
    await fail();
    expect(dialogs()).toHaveLength(1);
  });

  it('come soon after the end, whenever that is', async () => {
    await warn();
    await jest.advanceTimersByTimeAsync(70_000); // it is late
    expect(dialogs()).toEqual([]);
    end();
    await jest.advanceTimersByTimeAsync(3000);
    expect(dialogs()).toHaveLength(1);
  });

  it('come at once where the connection fails', async () => {
    await warn();
    end();
    failure.emit();
    await jest.advanceTimersByTimeAsync(10);
    expect(dialogs()).toHaveLength(1);
  });

  it('say that it runs again, and not before', async () => {
    await warn();
    await close();
    page.server.isDown = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(dialogs()).toHaveLength(1);
    page.server.isDown = false;
    answer(makeSession({ state: 'starting' }));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(messages()).toEqual([]);
    answer(makeSession());
    await jest.advanceTimersByTimeAsync(10_000);
    expect(dialogs()).toEqual([]);
    expect(messages()).toEqual([
      'exp-1 runs again. Reload this page to work in it.'
    ]);
    const [{ options }] = Notification.manager.notifications;
    expect(options.actions?.map(({ label }) => label)).toEqual(['Reload']);
  });
});
