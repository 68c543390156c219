import { JupyterFrontEnd } from '@jupyterlab/application';
import { CommandRegistry } from '@lumino/commands';
import { fireEvent, render, screen } from '@testing-library/react';
import React from 'react';
import { Activity, Session, SessionPolicy } from '../api/models';
import { CommandIDs } from '../commands';
import { logs } from '../plugins/logs';
import { makeManager } from '../plugins/running';
import { addSessionCommands } from '../plugins/sessioncommands';
import { SessionAdvice } from '../state/advice';
import { SessionIdleness } from '../state/idle/sessionidleness';
import { DetailsView } from '../views/details/details';
import { LiveView } from '../views/live/live';
import { SessionTables } from '../views/dashboard/sessiontables';
import { SessionsView } from '../views/panel/sessions';
import { IUi, UiProvider } from '../views/parts/ui';
import { makeAbout, makeIdle, makePage, makeSession } from './builders';
import { Page } from './page';

/** A session in the words of a later version, with a field that we do not know. */
const LATER = {
  ...makeSession({
    state: 'hibernating',
    goal: 'freeze',
    spec: { kind: 'burst' },
    reason: {
      code: 'ImagePull',
      message: 'Its image is being pulled.',
      hint: 'Wait for it.',
      raw: ''
    },
    placement: { node: 'north-1', slices: [], simulated: false },
    isolation: {
      memory: 'quantum',
      compute: 'fenced',
      scope: 'rack',
      bypass: [],
      note: ''
    },
    actions: ['clone', 'resume', 'log', 'activity']
  }),
  added_later: { at: 1 }
};
const POLICY: SessionPolicy = {
  session: 's1',
  exempt: null,
  rules: [
    {
      rule: 'tpu_idle',
      value: '5m',
      level: 'cluster:north',
      note: ''
    }
  ]
};
const ACTIVITY: Activity = {
  session: 's1',
  at: '2026-01-01T12:00:00Z',
  looked: true,
  idle: null,
  signals: [
    { name: 'tensor_cores', state: 'idle', last: '', detail: '' },
    { name: 'cpu', state: 'asleep', last: '', detail: '' }
  ].map(signal => ({ ...signal, last: '2026-01-01T12:00:00Z' }))
};

describe('with a server of a later version', () => {
  let page: Page;
  let ui: IUi;
  let advice: SessionAdvice;
  let idleness: SessionIdleness;

  beforeEach(() => {
    page = new Page();
    const commands = new CommandRegistry();
    ui = { ...page.ui, commands };
    addSessionCommands(commands, page.store, page.trans);
    void logs.activate({ commands } as JupyterFrontEnd, page.store);
    advice = new SessionAdvice(page.store, 's1');
    idleness = new SessionIdleness(page.store, 's1');
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing', 'teleport'] })
    });
    page.server.on('GET /sessions/s1/policy', { body: POLICY });
    page.server.on('GET /sessions/s1/activity', { body: ACTIVITY });
    page.server.on('GET /sessions/s1/advice', {
      body: { verdict: 'split', message: 'Two would do.', share: null }
    });
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(600);
  });

  afterEach(() => {
    advice.dispose();
    idleness.dispose();
    page.dispose();
    document.querySelectorAll('.lm-Menu').forEach(node => node.remove());
    jest.restoreAllMocks();
  });

  const show = async (view: JSX.Element, ...sessions: Session[]) => {
    page.server.on('GET /sessions', { body: makePage(sessions) });
    await page.store.about.refresh();
    await page.store.sessions.refresh();
    return render(<UiProvider ui={ui}>{view}</UiProvider>).container;
  };
  const showDetails = async (session: Session) => {
    const details = (
      <DetailsView
        id="s1"
        idleness={idleness}
        advice={advice.advice}
        onNamed={() => {}}
      />
    );
    page.server.on('GET /sessions', { body: makePage([session]) });
    await page.store.sessions.refresh();
    await idleness.activity.refresh();
    await idleness.policy.refresh();
    await advice.advice.refresh();
    return (await show(details, session)).textContent;
  };
  const buttons = () =>
    screen.queryAllByRole('button').map(button => button.textContent);

  it('shows a row with its words, and only the actions that are named', async () => {
    await show(<SessionsView />, LATER);
    const row = screen.getByRole('row');
    expect(row.textContent).toContain(
      'hibernating: Its image is being pulled.'
    );
    expect(row.textContent).toContain('memory quantum, compute fenced');
    expect(screen.getByRole('img', { name: 'hibernating' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Open/ })).toBeNull();
    fireEvent.contextMenu(row);
    const entries = [
      ...document.querySelectorAll('.lm-Menu-item:not(.lm-mod-hidden)')
    ].map(item => item.querySelector('.lm-Menu-itemLabel')?.textContent);
    expect(entries).toEqual(expect.arrayContaining(['Show Log', 'Resume']));
    expect(entries).not.toContain('Stop…');
    expect(entries).not.toContain('Suspend…');
    expect(ui.commands.isEnabled(CommandIDs.open, { id: 's1' })).toBe(false);
    expect(ui.commands.isEnabled(CommandIDs.remove, { id: 's1' })).toBe(false);
  });

  it('shows the details with its words', async () => {
    const text = await showDetails(LATER);
    for (const word of [
      'hibernating: Its image is being pulled.',
      'Wait for it.',
      'burst',
      'Memory: quantum.',
      'Compute: fenced.',
      'Limits apply per rack.',
      'Two would do.',
      'tpu_idle',
      'cluster:north'
    ]) {
      expect(text).toContain(word);
    }
    expect(buttons()).toEqual(['Show Log', 'Resume', 'Launch Again…']);
  });

  it('shows what is idle, how that is seen and what comes of it', async () => {
    const idle = makeIdle(30, 10, {
      rule: 'tpu_idle_timeout',
      level: 'cluster:north',
      action: 'archive'
    });
    const text = await showDetails(makeSession({ idle }));
    expect(text).toContain('Idle 30 min: no tensor_cores activity; archive at');
    expect(text).toContain('cluster:north');
    expect(text).toContain('CPUasleep');
  });

  it('shows it in tables, and among what runs', async () => {
    const tables = await show(
      <SessionTables sessions={[LATER]} projects={[]} />,
      LATER
    );
    expect(tables.textContent).toContain('burst');
    const live = { noun: 'sessions', project: '', session: '' } as const;
    const output = await show(<LiveView {...live} />, LATER);
    expect(output.textContent).toContain('hibernating');
    expect(output.querySelector('a')).toBeNull();
    const manager = makeManager(page.store, ui.commands, page.trans);
    const [item] = manager.running({ mode: 'list' });
    expect(item.labelTitle?.()).toContain('hibernating');
    expect(item.shutdown).toBeUndefined();
  });
});
