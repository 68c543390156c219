import { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { makeIdle, makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { clockText } from '../../views/parts/texts';
import { idleNotices } from '../idlenotices';

const WARNED = { warned: '2026-01-01T12:00:00Z' };

describe('the notices of idle sessions', () => {
  let page: Page;

  beforeEach(async () => {
    page = new Page();
    await page.store.about.refresh();
    const app = {
      commands: page.commands,
      serviceManager: {
        serverSettings: { baseUrl: 'http://hub.test/user/ana/' }
      }
    } as unknown as JupyterFrontEnd;
    void idleNotices.activate(app, page.store, null);
    await see(makeSession());
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
  const notices = () => Notification.manager.notifications;
  const labels = () =>
    notices()[0].options.actions?.map(({ label }) => label) ?? [];
  const press = (label: string) => {
    const click = new MouseEvent('click', { cancelable: true });
    notices()[0]
      .options.actions?.find(action => action.label === label)
      ?.callback(click);
    return click.defaultPrevented;
  };

  it('warn, and stay until what they say is over', async () => {
    const idle = makeIdle(20, 8, WARNED);
    await see(makeSession({ idle }));
    expect(notices().map(({ message }) => message)).toEqual([
      `exp-1 will be suspended at ${clockText(idle.acts!)} unless used (team-a's policy)`
    ]);
    expect(notices()[0].options.autoClose).toBe(false);
    expect(labels()).toEqual(['Keep alive', 'Suspend now', 'Details']);
    expect(press('Keep alive')).toBe(true);
    expect(page.executed).toEqual([[CommandIDs.keepAlive, 's1']]);
    await see(makeSession());
    expect(notices()).toEqual([]);
  });

  it('say how long the policy keeps alive, and offer nothing that it refuses', async () => {
    const rules = (span: string, times: string) => ({
      session: 's1',
      rules: [
        { rule: 'keep_alive', value: span },
        { rule: 'keep_alives', value: times }
      ],
      exempt: null
    });
    const offered = async (body: object, kept: Session['kept'] = null) => {
      page.server.on('GET /sessions/s1/policy', { body });
      await see(makeSession());
      await see(makeSession({ idle: makeIdle(20, 8, WARNED), kept }));
      await new Promise(done => setTimeout(done));
      return labels()[0];
    };
    const twice = { until: '2026-01-01T12:00:00Z', times: 2 };
    expect(await offered(rules('1h', '3'), twice)).toBe('Keep alive 1h');
    expect(notices()).toHaveLength(1);
    expect(await offered(rules('1h', '2'), twice)).toBe('Suspend now');
    expect(await offered(rules('none', '3'))).toBe('Suspend now');
    expect(
      page.server.asked
        .filter(({ path }) => path.endsWith('/policy'))
        .every(({ query }) => query.get('no_track_activity') === '1')
    ).toBe(true);
  });

  it('say the new time where it has changed, and never twice', async () => {
    await see(makeSession({ idle: makeIdle(20, 8, WARNED) }));
    const idle = makeIdle(20, 60, { ...WARNED, action: 'stop' });
    await see(makeSession({ idle }));
    expect(notices()).toHaveLength(1);
    expect(notices()[0].message).toContain(
      `stopped at ${clockText(idle.acts!)}`
    );
    expect(labels()).toContain('Stop now');
  });

  it('do not come back once closed, unless warned again', async () => {
    await see(makeSession({ idle: makeIdle(20, 8, WARNED) }));
    Notification.dismiss();
    await see(makeSession({ idle: makeIdle(20, 9, WARNED) }));
    expect(notices()).toEqual([]);
    const anew = { warned: '2026-01-01T13:00:00Z' };
    await see(makeSession({ idle: makeIdle(20, 9, anew) }));
    expect(notices()).toHaveLength(1);
  });

  it('offer nothing against what is only noticed', async () => {
    const idle = makeIdle(20, 0, { ...WARNED, action: 'notify' });
    await see(makeSession({ idle }));
    expect(labels()).toEqual(['Details']);
  });

  const reason = {
    code: 'IdleTimeout',
    message: 'It was suspended by the rule idle_timeout.',
    hint: '',
    raw: ''
  } as const;
  const ended = (...names: string[]) =>
    names.map(name =>
      makeSession({ id: name, spec: { name }, state: 'suspended', reason })
    );
  const runs = (...names: string[]) =>
    names.map(name => makeSession({ id: name, spec: { name } }));
  const messages = () => notices().map(({ message }) => message);

  it('tell the end, and resume in one click', async () => {
    await see(makeSession({ idle: makeIdle(20, 1, WARNED) }));
    await see(makeSession({ state: 'suspended', reason }));
    expect(messages()).toEqual([
      'exp-1: It was suspended by the rule idle_timeout. Files and settings are kept.'
    ]);
    expect(press('Resume')).toBe(false);
    expect(page.executed).toEqual([[CommandIDs.resume, 's1']]);
  });

  it('of an end go once the session is resumed or deleted, whoever does it', async () => {
    const [end] = ended('exp-1');
    await see(...runs('exp-1'));
    await see(end);
    expect(notices()).toHaveLength(1);
    await see({ ...end, state: 'waiting' });
    expect(notices()).toEqual([]);
    await see(end);
    expect(notices()).toHaveLength(1);
    await see();
    expect(notices()).toEqual([]);
  });

  it('of ends are one, that leads to where all can be resumed, and shrinks', async () => {
    const warned = makeSession({ idle: makeIdle(20, 8, WARNED) });
    await see(warned, ...runs('q2', 'lunch', 'own'));
    await see(warned, ...ended('q2'), ...runs('lunch', 'own'));
    expect(messages()[0]).toMatch(/^q2: It was suspended/);
    await see(warned, ...ended('q2', 'lunch', 'own'));
    expect(messages()).toEqual([
      '3 sessions ended because they were idle: q2, lunch and own',
      expect.stringMatching(/^exp-1 will be suspended at/)
    ]);
    const revealed = jest.fn();
    page.store.revealed.connect((_, id) => revealed(id));
    expect(labels()).toEqual(['Show them']);
    expect(press('Show them')).toBe(true);
    await new Promise(done => setTimeout(done));
    expect(page.executed).toEqual([[CommandIDs.showPanel, null]]);
    expect(revealed).toHaveBeenCalledWith('q2');

    await see(warned, ...ended('lunch', 'own'), ...runs('q2'));
    expect(messages()[0]).toMatch(/: lunch and own$/);
    await see(warned, ...ended('own'), ...runs('q2', 'lunch'));
    expect(messages()[0]).toMatch(/^own: It was suspended/);
    expect(labels()).toEqual(['Resume', 'Details']);
    await see(warned, ...runs('q2', 'lunch', 'own'));
    expect(messages()).toEqual([
      expect.stringMatching(/^exp-1 will be suspended at/)
    ]);
  });

  it('do not tell again of ends that were closed', async () => {
    await see(...runs('q2', 'lunch'));
    await see(...ended('q2'), ...runs('lunch'));
    Notification.dismiss();
    await see(...ended('q2', 'lunch'));
    expect(messages()).toEqual([expect.stringMatching(/^lunch: /)]);
  });

  it('can be switched off, and those in sight still go', async () => {
    const idle = makeIdle(20, 8, WARNED);
    await see(makeSession({ idle }));
    await page.store.preferences.set('notifyIdle', false);
    await see(makeSession());
    expect(notices()).toEqual([]);
    await see(makeSession({ idle }));
    expect(notices()).toEqual([]);
  });
});
