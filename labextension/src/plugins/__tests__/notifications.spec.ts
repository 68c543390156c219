import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { makePage, makeSession } from '../../__tests__/builders';
import { endedBy } from '../../__tests__/endings';
import { Page } from '../../__tests__/page';
import { Session, Kind, State } from '../../api/models';
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

describe("the notices of a user's sessions", () => {
  let page: Page;

  beforeEach(async () => {
    page = new Page();
    await page.store.about.refresh();
    const app = {
      commands: page.commands,
      restored: new Promise(() => undefined)
    } as unknown as JupyterFrontEnd;
    void notifications.activate(app, page.store, null);
    await see();
  });

  afterEach(() => {
    Notification.dismiss();
    page.dispose();
  });

  const see = async (...sessions: Session[]) => {
    page.server.on('GET /sessions', { body: makePage(sessions) });
    await page.store.sessions.refresh();
    await new Promise(done => setTimeout(done)); // what shows notices is loaded late
  };
  const make = (name: string, state: State, kind: Kind = 'interactive') =>
    makeSession({
      id: name,
      spec: { name, kind },
      state,
      reason:
        state === 'running'
          ? null
          : { code: 'OverQuota', message: 'Full.', hint: '', raw: '' }
    });
  const notices = () => Notification.manager.notifications;
  const messages = () => notices().map(({ message }) => message);

  it('are one a session, updated in place, and gone with it', async () => {
    await see(make('b4', 'waiting'));
    const [{ id }] = notices();
    expect(messages()).toEqual(['b4 is queued: Full.']);
    await see(make('b4', 'running'));
    expect(messages()).toEqual(['b4 is running']);
    expect(notices()[0]).toMatchObject({ id, type: 'success' });
    await see();
    expect(messages()).toEqual([]);
  });

  it('are one of the sixty that a script submits', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `b${index}`);
    await see(...names.map(name => make(name, 'waiting')));
    expect(messages()).toHaveLength(1);
    expect(messages()[0]).toMatch(/^60 sessions were queued: b0, .* 37 more$/);
    notices()[0].options.actions?.[0].callback({} as MouseEvent);
    expect(page.executed).toEqual([[CommandIDs.showPanel, null]]);
  });

  it('name those of whom they are true still, and stay closed', async () => {
    const wait = (...names: string[]) =>
      see(...names.map(name => make(name, 'waiting')));
    await wait('b0', 'b1', 'b2');
    expect(messages()).toEqual(['3 sessions were queued: b0, b1 and b2']);
    await wait('b1', 'b2');
    expect(messages()).toEqual(['2 sessions were queued: b1 and b2']);
    Notification.dismiss();
    await wait('b2');
    expect(messages()).toEqual([]);
  });

  it('do not come back once they were closed', async () => {
    await see(make('b4', 'running'));
    Notification.dismiss();
    await see(make('b4', 'running'), make('b5', 'running'));
    expect(messages()).toEqual(['b5 is running']);
  });

  it('are of trainings only that they failed, unless wanted', async () => {
    await see(make('t1', 'waiting', 'train'));
    expect(messages()).toEqual([]);
    await see(make('t1', 'failed', 'train'));
    expect(messages()).toEqual(['t1 failed: Full.']);
    await see(make('t1', 'running', 'train'));
    expect(messages()).toEqual([]);
    await page.store.preferences.set('notifyTrainings', true);
    await see(make('t1', 'waiting', 'train'));
    expect(messages()).toEqual(['t1 is queued: Full.']);
  });

  it('say of a training, too, who has stopped it and why', async () => {
    const spec = { ...makeSession().spec, name: 't1', kind: 'train' as const };
    await see(make('s1', 'running', 'train'));
    await see(endedBy('root', { spec }));
    expect(messages()).toEqual(['t1: Stopped by root: dgx1-1 is needed.']);
    notices()[0].options.actions?.[0].callback({} as MouseEvent);
    expect(page.executed).toEqual([[CommandIDs.details, 's1']]);
  });

  it('turn off one kind, and the settings say so', async () => {
    await see(make('b4', 'running'));
    notices()[0].options.actions?.[1].callback({} as MouseEvent);
    await see(make('b4', 'running'), make('b5', 'running'));
    expect(messages()).toEqual(['b4 is running']);
    expect(page.store.preferences.values.notifyReady).toBe(false);
  });
});
