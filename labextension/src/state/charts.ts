import { History, HistoryPoint } from '../api/models';

/** Lengths of dashes and gaps, in pixels; the round ends of lines make gaps shorter. */
const DASHES = [
  [1, 0],
  [8, 7],
  [1, 6],
  [12, 6, 1, 6]
];

/** The colours of a theme, as CSS writes them. */
export interface IPalette {
  readonly text: string;
  readonly grid: string;
  readonly font: string;
  /** What distinguishes projects, beside their order and names. */
  readonly series: readonly string[];
}

/** Words of the user's language that a chart needs. */
export interface IChartWords {
  readonly time: string;
  /** Empty where the one project need not be named. */
  readonly project: string;
  readonly value: string;
}

/** What a project held in one step of time, stacked on the projects before it; in GPUs. */
export interface IStacked {
  readonly project: string;
  readonly start: string;
  readonly end: string;
  readonly low: number;
  readonly high: number;
  readonly gpus: number;
}

/** Name the projects of a history, in the order in which they are drawn. */
export function projectsIn({ points }: History): string[] {
  return [...new Set(points.map(point => point.project))].sort();
}

/** Stack what projects held, step by step: a step that was not sampled stays empty. */
export function stack(history: History): IStacked[] {
  const tops = new Map<string, number>();
  return [...history.points]
    .sort((a, b) => (a.project < b.project ? -1 : 1))
    .filter(({ allocated }) => allocated > 0)
    .map(({ at, project, allocated }) => {
      const low = tops.get(at) ?? 0;
      tops.set(at, low + allocated);
      return {
        project,
        start: at,
        end: endOf(at, history.step),
        low: low / 1000,
        high: (low + allocated) / 1000,
        gpus: allocated / 1000
      };
    });
}

/** Draw what projects held over time, in Vega-Lite, below a line at the capacity (milli-GPU, 0: none). */
export function allocationChart(
  history: History,
  words: IChartWords,
  palette: IPalette,
  capacity = 0
): Record<string, unknown> {
  const { encoding, ...rest } = chart(history, words, palette);
  const { scale, ...x } = { ...encoding.x, field: 'start' };
  return {
    ...rest,
    data: { values: stack(history) },
    encoding: { x, x2: { field: 'end' } },
    layer: [
      {
        // The last step may end later than what is asked for.
        mark: { type: 'rect', clip: true },
        encoding: {
          // Of one layer only: Vega-Lite takes the domains of several for a conflict.
          x: { ...x, scale },
          color: encoding.color,
          y: { field: 'low', type: 'quantitative', title: words.value },
          y2: { field: 'high' },
          tooltip: [
            ...(words.project
              ? [{ field: 'project', title: words.project }]
              : []),
            { field: 'gpus', title: words.value },
            {
              field: 'start',
              type: 'temporal',
              title: words.time,
              format: '%c'
            }
          ]
        }
      },
      {
        // Where one project ends and the next begins is seen without their colours.
        mark: { type: 'rule', color: palette.text, clip: true },
        encoding: { y: { field: 'high', type: 'quantitative' } }
      },
      ...(capacity ? [capacityLine(history, palette, capacity)] : [])
    ]
  };
}

function capacityLine(history: History, palette: IPalette, capacity: number) {
  const [start, end] = spanOf(history);
  return {
    data: { values: [{ start, end, capacity: capacity / 1000 }] },
    mark: { type: 'rule', color: palette.text, strokeDash: [6, 4] },
    encoding: { y: { field: 'capacity', type: 'quantitative' } }
  };
}

/** Draw how busy the GPUs of projects were; the dashes of a line tell its project, too. */
export function utilisationChart(
  history: History,
  words: IChartWords,
  palette: IPalette
): Record<string, unknown> {
  const { encoding, ...rest } = chart(history, words, palette);
  return {
    ...rest,
    data: { values: withGaps(history) },
    // A round cap shows a sample that stands alone.
    mark: { type: 'line', strokeCap: 'round', tooltip: true },
    encoding: {
      ...encoding,
      x: { ...encoding.x, field: 'at' },
      y: {
        field: 'utilisation',
        type: 'quantitative',
        title: words.value,
        scale: { domain: [0, 100] }
      },
      strokeDash: {
        field: 'project',
        type: 'nominal',
        ...named(words),
        scale: { domain: projectsIn(history), range: DASHES }
      }
    }
  };
}

/** Keep the points for which the driver reported GPU utilisation. */
export function measured({ points }: History): HistoryPoint[] {
  return points.filter(({ utilisation }) => utilisation !== null);
}

/** Add a point without a value wherever a project was not measured, so that its line breaks. */
function withGaps(history: History): Partial<HistoryPoint>[] {
  const { step } = history;
  const last = new Map<string, string>();
  return measured(history).flatMap(({ at, project, utilisation }) => {
    const before = last.get(project);
    last.set(project, at);
    const point = { at, project, utilisation };
    const isGap = before && Date.parse(at) - Date.parse(before) > 1500 * step;
    return isGap
      ? [{ at: endOf(before, step), project, utilisation: null }, point]
      : [point];
  });
}

/** Return what both charts share. */
function chart(history: History, words: IChartWords, palette: IPalette) {
  const { text, grid, font, series } = palette;
  const ink = { labelColor: text, titleColor: text };
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
    height: 160,
    autosize: { type: 'fit', contains: 'padding' },
    encoding: {
      x: {
        type: 'temporal',
        title: null,
        axis: { tickCount: 8, labelOverlap: true },
        scale: { domain: spanOf(history).map(time => Date.parse(time)) }
      },
      color: {
        field: 'project',
        type: 'nominal',
        ...named(words),
        scale: { domain: projectsIn(history), range: series }
      }
    },
    config: {
      // What it shows is said in words and as a table.
      aria: false,
      background: 'transparent',
      font,
      axis: { ...ink, gridColor: grid, domainColor: text, tickColor: text },
      legend: ink,
      view: { stroke: grid }
    }
  };
}

/** Return the legend of projects; none where they are not named. */
function named({ project }: IChartWords) {
  return project ? { title: project } : { legend: null };
}

/** Return the begin and end of what is drawn: nothing is left empty before the first record. */
function spanOf({ points, since, until }: History): [string, string] {
  const times = points.map(({ at }) => Date.parse(at));
  const first = Math.min(...times, Date.parse(until));
  return [new Date(Math.max(first, Date.parse(since))).toISOString(), until];
}

function endOf(at: string, step: number): string {
  return new Date(Date.parse(at) + step * 1000).toISOString();
}
