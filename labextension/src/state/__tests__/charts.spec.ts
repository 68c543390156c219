import { History, HistoryPoint } from '../../api/models';
import {
  allocationChart,
  measured,
  projectsIn,
  stack,
  utilisationChart
} from '../charts';

const PALETTE = {
  text: '#111',
  grid: '#222',
  font: 'sans',
  series: ['#333', '#444']
};
const WORDS = { time: 'Time', project: 'Project', value: 'GPUs' };

interface IChannel {
  field: string;
  scale: { domain: unknown[] };
}

/** What the tests look at of a chart in Vega-Lite. */
interface IChart {
  data: { values: Partial<HistoryPoint>[] };
  encoding: Record<string, IChannel>;
  layer: Pick<IChart, 'encoding'>[];
  config: { axis: { labelColor: string } };
}

function makePoint(changes: Partial<HistoryPoint>): HistoryPoint {
  return {
    at: '2026-01-01T12:00:00Z',
    project: 'team-a',
    user: '',
    seconds: 300,
    allocated: 500,
    in_quota: 500,
    borrowed: 0,
    requested: 0,
    peak: 1000,
    waiting: 0,
    utilisation: null,
    ...changes
  };
}

function makeHistory(points: Partial<HistoryPoint>[]): History {
  return {
    points: points.map(makePoint),
    users: [],
    by: 'project',
    step: 300,
    since: '2026-01-01T00:00:00Z',
    until: '2026-01-02T00:00:00Z',
    simulated: true,
    note: ''
  };
}

describe('the charts', () => {
  const later = '2026-01-01T13:00:00Z';
  const history = makeHistory([
    { project: 'team-b', allocated: 1500 },
    {},
    { at: later, project: 'team-b', allocated: 0 },
    { at: later, utilisation: 40 }
  ]);

  it('begin with the first record, and draw the capacity as a line', () => {
    const { layer } = allocationChart(history, WORDS, PALETTE, 16000) as {
      layer: { data?: object; mark: object }[];
    };
    expect(layer.at(-1)).toMatchObject({
      data: {
        values: [
          {
            start: '2026-01-01T12:00:00.000Z',
            end: history.until,
            capacity: 16
          }
        ]
      },
      mark: { type: 'rule' }
    });
    const without = allocationChart(history, WORDS, PALETTE) as {
      layer: object[];
    };
    expect(without.layer).toHaveLength(layer.length - 1);
  });

  it('put projects on top of each other, step by step', () => {
    const rows = stack(history).map(({ project, start, low, high }) => [
      ...[project, start, low, high]
    ]);
    expect(rows).toEqual([
      ['team-a', '2026-01-01T12:00:00Z', 0, 0.5],
      ['team-a', later, 0, 0.5],
      ['team-b', '2026-01-01T12:00:00Z', 0.5, 2]
    ]);
  });

  it('end a step where the next one could begin, so that gaps are seen', () => {
    expect(stack(history)[0].end).toBe('2026-01-01T12:05:00.000Z');
  });

  it('show the whole span and each project in its colour', () => {
    const { config, data, layer } = allocationChart(
      history,
      WORDS,
      PALETTE
    ) as unknown as IChart;
    expect(data.values).toEqual(stack(history));
    expect(layer[0].encoding.color.scale).toEqual({
      domain: projectsIn(history),
      range: PALETTE.series
    });
    expect(layer[0].encoding.x.scale.domain).toEqual([
      Date.parse('2026-01-01T12:00:00Z'),
      Date.parse(history.until)
    ]);
    expect(config.axis.labelColor).toBe('#111');
  });

  it('show utilisation where it was measured, in dashes for each project', () => {
    expect(measured(history)).toHaveLength(1);
    const { data, encoding } = utilisationChart(
      history,
      WORDS,
      PALETTE
    ) as unknown as IChart;
    expect(data.values).toHaveLength(1);
    expect(encoding.strokeDash.field).toBe('project');
  });

  it('break a line where nothing was measured', () => {
    const gap = makeHistory([
      { utilisation: 1 },
      { at: '2026-01-01T12:05:00Z', utilisation: 2 },
      { at: later, utilisation: 3 }
    ]);
    const { data } = utilisationChart(gap, WORDS, PALETTE) as unknown as IChart;
    const values = data.values.map(point => point.utilisation);
    expect(values).toEqual([1, 2, null, 3]);
  });
});
