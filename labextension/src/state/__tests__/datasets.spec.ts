import {
  idOf,
  makeCached,
  makeDataset,
  makeJob,
  makeVersion
} from '../../__tests__/datasets';
import { Lineage, Link, Origin } from '../../api/models';
import { imageUrl } from '../datasets/content';
import { layOut } from '../datasets/lineagelayout';
import { mountOf, referenceTo } from '../datasets/references';
import { copyOf, rowsOf } from '../datasets/rows';

describe('what is near the GPUs of a version', () => {
  const version = makeVersion();

  it('is told by the job that fetches it before the cache', () => {
    const copy = copyOf(version, [makeCached()], [makeJob()]);
    expect(copy.state).toBe('fetching');
    expect(copy.part).toBeCloseTo(0.43);
  });

  it('is told by the cache once the job has ended', () => {
    const job = makeJob({ state: 'done' });
    expect(copyOf(version, [makeCached()], [job]).state).toBe('cached');
    expect(copyOf(version, [], [job]).state).toBe('none');
  });

  it('is not that of another version', () => {
    const other = makeCached({ version: idOf('b2') });
    expect(copyOf(version, [other], []).state).toBe('none');
  });
});

describe('the rows of the tree', () => {
  it('hold versions of open datasets only', () => {
    const datasets = [makeDataset(), makeDataset({ name: 'texts' })];
    const value = [makeVersion()];
    const rows = rowsOf(
      datasets,
      name => (name === 'faces' ? { status: 'ready', value } : undefined),
      [],
      []
    );
    expect(rows.map(({ kind }) => kind)).toEqual([
      'dataset',
      'version',
      'dataset'
    ]);
    const found = rowsOf(datasets, () => undefined, [], [], 'TEX');
    expect(found.map(({ id }) => id)).toEqual(['texts']);
  });
});

describe('references', () => {
  it('name a tag, or else the beginning of the id', () => {
    expect(referenceTo(makeVersion({ tags: ['v1'] }))).toBe('faces@v1');
    expect(referenceTo(makeVersion())).toBe('faces@a10000000000');
  });

  it.each([
    ['faces', ['faces', 'latest', '']],
    ['faces@v1', ['faces', 'v1', '']],
    ['faces@:/in', ['faces', 'latest', '/in']],
    [' faces@v1:/data/in ', ['faces', 'v1', '/data/in']],
    ['faces:/in', ['faces', 'latest', '/in']],
    ['', ['', 'latest', '']]
  ])('are read from a line of the form: %s', (text, [dataset, ref, path]) => {
    expect(mountOf(text)).toEqual({ dataset, ref, path });
  });
});

describe('the image of a preview', () => {
  it('is of a kind that only paints', () => {
    const url = (media_type: string, data = 'aGk=') =>
      imageUrl({ media_type, data });
    expect(url('image/png')).toBe('data:image/png;base64,aGk=');
    expect(url('image/svg+xml')).toBe('');
    expect(url('text/html')).toBe('');
    expect(url('image/png', '"><script>')).toBe('');
  });
});

describe('the drawing of a lineage', () => {
  const node = (kind: Origin['kind'], id: string, time = ''): Origin => ({
    id,
    kind,
    label: id,
    detail: '',
    time
  });
  const link = (
    source: string,
    relation: Link['relation'],
    target: string
  ): Link => ({ source, relation, target });
  const lineage = (nodes: Origin[], links: Link[]): Lineage => ({
    dataset: 'faces',
    nodes,
    links
  });

  it('has producers left of a version and users right of it', () => {
    const { columns, places, rows } = layOut(
      lineage(
        [
          node('version', 'v1', '2026-01-01'),
          node('version', 'v2', '2026-01-02'),
          node('session', 'maker'),
          node('commit', 'code'),
          node('session', 'user-1'),
          node('session', 'user-2')
        ],
        [
          link('v1', 'follows', 'v2'),
          link('maker', 'produced', 'v2'),
          link('code', 'produced', 'maker'),
          link('v2', 'used', 'user-1'),
          link('v2', 'used', 'user-2')
        ]
      )
    );
    const at = Object.fromEntries(
      places.map(({ column, node: { id }, row }) => [id, [column, row]])
    );
    expect(at).toEqual({
      code: [0, 0],
      maker: [1, 0],
      v2: [2, 0],
      'user-1': [3, 0],
      'user-2': [3, 1],
      v1: [2, 2]
    });
    expect([columns, rows]).toEqual([4, 3]);
  });

  it('draws every node once, and no line to what it does not know', () => {
    const layout = layOut(
      lineage(
        [node('version', 'v1'), node('version', 'v2'), node('session', 's')],
        [
          link('v1', 'used', 's'),
          link('v2', 'used', 's'),
          link('v2', 'used', 'gone')
        ]
      )
    );
    expect(layout.places).toHaveLength(3);
    expect(layout.links).toHaveLength(2);
  });

  it('copes with a circle', () => {
    const layout = layOut(
      lineage(
        [node('version', 'v1'), node('session', 's')],
        [link('v1', 'used', 's'), link('s', 'produced', 'v1')]
      )
    );
    expect(layout.places).toHaveLength(2);
  });
});
