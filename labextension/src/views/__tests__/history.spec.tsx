import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { makeProject, makeQuota } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { HistoryBoard } from '../dashboard/history';

interface IDrawn {
  width: number;
  layer: unknown[];
  data: { values: { gpus: number }[] };
}

/** JupyterLab's renderers; each records what it is to draw. */
class Renderers {
  readonly drawn: IDrawn[] = [];
  readonly made: Widget[] = [];

  getFactory(mime: string): unknown {
    return mime === 'application/vnd.vegalite.v5+json' ? {} : undefined;
  }

  createRenderer(): Widget {
    const renderer = Object.assign(new Widget(), {
      renderModel: async (model: { data: Record<string, IDrawn> }) => {
        this.drawn.push(Object.values(model.data)[0]);
      }
    });
    this.made.push(renderer);
    return renderer;
  }

  createModel(options: unknown): unknown {
    return options;
  }
}

const HOURS = {
  project: 'team-a',
  user: 'ana',
  allocated: 12500,
  borrowed: 1500,
  waited: 250,
  utilisation: null
};

const POINT = {
  at: '2026-01-01T12:00:00Z',
  project: 'team-a',
  user: '',
  seconds: 300,
  allocated: 1500,
  in_quota: 1000,
  borrowed: 500,
  requested: 0,
  peak: 2000,
  waiting: 0,
  utilisation: null
};

describe('use over time', () => {
  let page: Page;
  let renderers: Renderers;

  beforeEach(() => {
    // jsdom lays nothing out.
    jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(615);
    page = new Page();
    renderers = new Renderers();
    answer([POINT]);
  });

  afterEach(() => {
    page.dispose();
    jest.restoreAllMocks();
  });

  const answer = (points: object[], users: object[] = []) =>
    page.server.on('GET /history', {
      body: {
        points,
        users,
        by: 'project',
        step: 300,
        since: '2026-01-01T00:00:00Z',
        until: '2026-01-02T00:00:00Z',
        simulated: true,
        note: ''
      }
    });
  const show = (registry: unknown = renderers) => {
    page.store.past.history.watch();
    return page.show(
      <HistoryBoard renderMime={registry as IRenderMimeRegistry | null} />
    );
  };

  it('is drawn by the renderer of JupyterLab, and said in words', async () => {
    const { unmount } = show();
    const chart = await screen.findByRole('img', { name: /team-a/ });
    // It is drawn once more when the capacity is known.
    await screen.findByText(/^GPUs in use.*dashed line: all 16 GPUs/);
    await waitFor(() => expect(renderers.drawn.at(-1)?.layer).toHaveLength(3));
    const drawn = renderers.drawn.at(-1)!;
    expect(drawn.data.values[0].gpus).toBe(1.5);
    expect(drawn.width).toBe(600);
    expect(chart.contains(renderers.made.at(-1)!.node)).toBe(true);
    unmount();
    expect(renderers.made.every(({ isDisposed }) => isDisposed)).toBe(true);
  });

  it('names no project where one has all GPUs', async () => {
    const projects = [makeProject({ name: 'root', quota: 2000 })];
    page.server.on('GET /quota', {
      body: makeQuota({ projects, capacity: 2000 })
    });
    const root = { project: 'root', utilisation: 40 };
    answer([{ ...POINT, ...root }], [{ ...HOURS, ...root }]);
    show();
    await screen.findByText('GPUs in use (dashed line: all 2 GPUs)');
    screen
      .getAllByText(/^Show as table/)
      .map(summary => summary.closest('details') as HTMLDetailsElement)
      .forEach(details => {
        details.open = true;
        fireEvent(details, new Event('toggle'));
      });
    await waitFor(() => expect(screen.getAllByRole('table')).toHaveLength(3));
    expect(document.body.textContent).not.toMatch(/quota|project|borrow|root/i);
    const last = JSON.stringify(renderers.drawn.slice(-2));
    expect(last).not.toMatch(/"title":"Project"/);
  });

  it('is a table, too', async () => {
    show();
    const summary = await screen.findByText(
      /^Show as table \/ CSV: GPUs in use/
    );
    const details = summary.closest('details') as HTMLDetailsElement;
    details.open = true;
    fireEvent(details, new Event('toggle'));
    expect(await screen.findByRole('table')).toBeTruthy();
    const cells = screen.getAllByRole('cell').map(cell => cell.textContent);
    expect(cells).toEqual(['team-a', '1.5', '1', '0.5', '0', '2', '0']);
  });

  it('says how many GPU hours each user had, the most first', async () => {
    answer(
      [POINT],
      [
        { ...HOURS, user: 'ben', allocated: 500, borrowed: 0, waited: 0 },
        HOURS,
        { ...HOURS, user: '', allocated: 96000, utilisation: 62 }
      ]
    );
    show();
    const table = await screen.findByRole('table', { name: /^GPU hours/ });
    const rows = () =>
      within(table)
        .getAllByRole('row')
        .slice(1)
        .map(row => [...row.children].map(cell => cell.textContent));
    expect(rows()).toEqual([
      ['team-a', '(not named)', '96', '1.5', '0.25', '62'],
      ['team-a', 'ana', '12.5', '1.5', '0.25', ''],
      ['team-a', 'ben', '0.5', '0', '0', '']
    ]);
    expect(
      screen.getByText(/^“Not named”: recorded without user names/)
    ).toBeTruthy();
    fireEvent.click(within(table).getByRole('button', { name: 'User' }));
    expect(rows().map(([, user]) => user)).toEqual([
      '(not named)',
      'ana',
      'ben'
    ]);
  });

  it('leaves utilisation out of the hours where none was measured', async () => {
    answer([POINT], [HOURS]);
    show();
    const table = await screen.findByRole('table', { name: /^GPU hours/ });
    expect(within(table).queryByText('% busy')).toBeNull();
    expect(screen.queryByText(/^Not named/)).toBeNull();
  });

  it('says where utilisation was not measured, and draws it where it was', async () => {
    const { unmount } = show();
    await screen.findByText(/was not measured/);
    unmount();
    answer([{ ...POINT, utilisation: 40 }]);
    await page.store.past.history.refresh();
    show();
    expect(await screen.findAllByRole('img')).toHaveLength(2);
  });

  it('reaches as far back as is asked for', async () => {
    show();
    fireEvent.change(await screen.findByLabelText('Period'), {
      target: { value: '168' }
    });
    await waitFor(() =>
      expect(page.server.asked.at(-1)?.query.get('hours')).toBe('168')
    );
  });

  it('says that there is nothing yet', async () => {
    answer([]);
    show();
    expect(await screen.findByText(/Nothing was recorded/)).toBeTruthy();
  });

  it('leaves the table where charts cannot be drawn', async () => {
    show(null);
    expect(await screen.findByText(/cannot draw Vega-Lite/)).toBeTruthy();
    expect(screen.getByText(/^Show as table \/ CSV/)).toBeTruthy();
  });
});
