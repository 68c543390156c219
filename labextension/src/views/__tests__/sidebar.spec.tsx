import { nullTranslator } from '@jupyterlab/translation';
import { StateDB } from '@jupyterlab/statedb';
import { AccordionPanel, Widget } from '@lumino/widgets';
import { act, screen, waitFor } from '@testing-library/react';
import {
  makeAbout,
  makePage,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { addSections } from '../panel/sections';
import { Sidebar } from '../panel/sidebar';

describe('the panel', () => {
  let page: Page;
  let state: StateDB;
  let sidebar: Sidebar;

  beforeEach(() => {
    page = new Page();
    state = new StateDB();
    add('second', 200);
    add('first', 100);
  });

  afterEach(() => {
    sidebar.dispose();
    page.dispose();
  });

  const add = (id: string, rank: number) =>
    page.store.sections.add({
      id,
      rank,
      size: 1,
      create: () => {
        const widget = new Widget();
        widget.title.label = id;
        return widget;
      }
    });
  const show = async () => {
    sidebar = new Sidebar(page.ui, nullTranslator, state);
    await act(async () => Widget.attach(sidebar, document.body));
    await waitFor(() =>
      expect(sidebar.content.widgets.length).toBeGreaterThan(1)
    );
  };
  const titles = () => sidebar.content.widgets.map(({ title }) => title.label);

  it('marks simulated GPUs once, beside its name', async () => {
    await show();
    expect((await screen.findAllByText('simulated')).length).toBe(1);
    const heading = screen.getByRole('heading', { name: 'GPUs' });
    expect(heading.parentElement?.textContent).toContain('simulated');
  });

  it('shows the sections in order, those added later, too', async () => {
    await show();
    expect(titles()).toEqual(['first', 'second']);
    const between = add('between', 150);
    await waitFor(() =>
      expect(titles()).toEqual(['first', 'between', 'second'])
    );
    between.dispose();
    await waitFor(() => expect(titles()).toEqual(['first', 'second']));
  });

  it('has the sections of our own beside those of others', async () => {
    addSections(page.ui, state);
    await show();
    await waitFor(() =>
      expect(titles()).toEqual([
        'first',
        'Team',
        'second',
        'Sessions',
        'Datasets',
        'Volumes',
        'Snapshots'
      ])
    );
  });

  it('says once why its sections cannot be read, and tries again', async () => {
    const broken = {
      status: 503,
      body: {
        code: 'Unavailable',
        message: 'It does not start.',
        hint: 'Look.',
        fields: []
      }
    };
    page.server.on('GET /quota', broken);
    page.server.on('GET /sessions', broken);
    addSections(page.ui, state);
    await show();
    const alerts = await screen.findAllByRole('alert');
    expect(alerts).toHaveLength(1);
    expect(alerts[0].textContent).toBe('It does not start.Look.Try again');
    page.server.on('GET /quota', { body: makeQuota() });
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    act(() => screen.getByRole('button', { name: 'Try again' }).click());
    expect(await screen.findByText('exp-1')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('keeps what it shows when the server goes, and says that it is old', async () => {
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    addSections(page.ui, state);
    await show();
    await screen.findByText('exp-1');
    page.server.isDown = true;
    await act(() => page.store.refresh());
    const alerts = screen.getAllByRole('alert');
    expect(alerts).toHaveLength(1);
    expect(alerts[0].textContent).toContain('Showing the last known state.');
    expect(alerts[0].textContent).toContain('Connection lost');
    expect(screen.getByText('exp-1')).toBeTruthy();
  });

  it('remembers which sections are open', async () => {
    await show();
    (sidebar.content as AccordionPanel).collapse(1);
    await waitFor(async () =>
      expect(await state.fetch('jupyter-gpuquota:open-sections')).toEqual({
        first: true,
        second: false
      })
    );
    sidebar.dispose();
    await show();
    await waitFor(() =>
      expect(sidebar.content.widgets.map(({ isHidden }) => isHidden)).toEqual([
        ...[false, true]
      ])
    );
  });

  it('says what to do where the server half is missing', async () => {
    page.server.on('GET /about', { status: 404, text: '' });
    await show();
    const card = await screen.findByRole('alert');
    expect(card.textContent).toContain('jupyter server extension list');
    expect(card.textContent).toContain('jupyter labextension list');
    expect(card.textContent).toContain('pip install jupyter_gpuquota');
    expect(sidebar.content.isHidden).toBe(true);
    const toolbar = sidebar.node.querySelector('.jp-SidePanel-toolbar');
    expect(toolbar?.compareDocumentPosition(card)).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING
    );
    expect(card.closest('.jp-SidePanel-header')).toBeNull();
  });

  it('goes on once the server half is there', async () => {
    page.server.on('GET /about', { status: 404, text: '' });
    await show();
    const retry = await screen.findByRole('button', { name: 'Try again' });
    page.server.on('GET /about', { body: makeAbout() });
    act(() => retry.click());
    await waitFor(() => expect(sidebar.content.isHidden).toBe(false));
  });

  it('says in a session where it is managed, and offers nothing', async () => {
    page.server.on('GET /about', {
      status: 503,
      body: {
        code: 'LaunchedElsewhere',
        message: 'This session was launched from another machine.',
        hint: 'Manage sessions there.',
        fields: []
      }
    });
    await show();
    const card = await screen.findByRole('alert');
    expect(card.textContent).toBe(
      'This session was launched from another machine.Manage sessions there.'
    );
    expect(sidebar.content.isHidden).toBe(true);
  });

  it('says what the controller says when it cannot start', async () => {
    page.server.on('GET /about', {
      status: 503,
      body: {
        code: 'NoServer',
        message: 'The controller did not start.',
        hint: 'Its log says why.',
        fields: []
      }
    });
    await show();
    const card = await screen.findByRole('alert');
    expect(card.textContent).toContain('The controller did not start.');
    expect(card.textContent).toContain('Its log says why.');
  });

  it('lets the user work with another release that is still understood', async () => {
    page.server.on('GET /about', { body: makeAbout({ version: '99.0.0' }) });
    await show();
    expect((await screen.findByRole('alert')).textContent).toContain('99.0.0');
    act(() => screen.getByRole('button', { name: 'Use anyway' }).click());
    expect(sidebar.content.isHidden).toBe(false);
  });

  it('does not with one that is not', async () => {
    page.server.on('GET /about', { body: makeAbout({ api: 99 }) });
    await show();
    await screen.findByRole('alert');
    expect(screen.queryByRole('button', { name: 'Use anyway' })).toBeNull();
  });
});
