import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { clockText } from '../../views/parts/texts';
import { notifications } from '../notifications';

const MINUTE = 60_000;

describe('the notice that a session is soon to be stopped', () => {
  let page: Page;

  beforeEach(() => {
    jest.useFakeTimers();
    page = new Page();
  });

  afterEach(() => {
    Notification.dismiss();
    page.dispose();
    jest.useRealTimers();
  });

  const open = async (minutes: number) => {
    const ends = new Date(Date.now() + minutes * MINUTE).toISOString();
    page.server.on('GET /sessions', ({ headers }) =>
      headers.get('If-None-Match') === 'e'
        ? { status: 304 }
        : {
            body: makePage([makeSession({ ends, ends_by: 'project:team-a' })]),
            etag: 'e'
          }
    );
    const app = {
      commands: page.commands,
      restored: Promise.resolve()
    } as unknown as JupyterFrontEnd;
    void notifications.activate(app, page.store, null);
    await jest.advanceTimersByTimeAsync(10_000);
    return ends;
  };
  const notices = () => Notification.manager.notifications;
  const pass = (minutes: number) =>
    jest.advanceTimersByTimeAsync(minutes * MINUTE);

  it('comes when the page is opened in the last ten minutes, once', async () => {
    const ends = await open(6);
    await pass(3);
    expect(notices().map(({ message }) => message)).toEqual([
      `exp-1 stops at ${clockText(ends)} (max. run time, team-a's policy). Save your work.`
    ]);
    notices()[0].options.actions?.[0].callback({} as MouseEvent);
    expect(page.executed).toEqual([[CommandIDs.details, 's1']]);
  });

  it('comes ten minutes before, though nothing else changes', async () => {
    await open(13);
    await pass(2);
    expect(notices()).toHaveLength(0);
    await pass(2);
    expect(notices()).toHaveLength(1);
    await pass(2);
    expect(notices()).toHaveLength(1);
  });

  it('asks nothing of the server in a hidden tab', async () => {
    await open(13);
    const hidden = jest.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    await pass(1);
    page.server.asked.length = 0;
    await pass(8);
    expect(page.server.asked).toEqual([]);
    expect(notices()).toHaveLength(0);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(notices()).toHaveLength(1);
    hidden.mockRestore();
  });

  it('can be switched off', async () => {
    await page.store.preferences.set('notifyEnding', false);
    await open(6);
    expect(notices()).toHaveLength(0);
  });
});
