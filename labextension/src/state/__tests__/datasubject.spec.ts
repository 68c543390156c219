import { nullTranslator } from '@jupyterlab/translation';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { DataSettings } from '../../api/models';
import { cacheSubject, lakeSubject, removeLake } from '../settings/datasubject';
import { Store } from '../store';

const SETTINGS: DataSettings = {
  lakes: ['main', 'old'].map((name, index) => ({
    name,
    url: `s3://${name}/data`,
    credentials: '',
    projects: [],
    default: index === 0,
    problem: ''
  })),
  cache: { unused: 86_400, high_water: 0.9, projects: { a: 0 }, datasets: {} },
  revision: '7'
};

describe('what admins set for datasets', () => {
  let server: FakeServer;
  let store: Store;

  beforeEach(() => {
    server = new FakeServer();
    server.on('PUT /lakes/settings', { body: SETTINGS });
    store = new Store(server.settings, new FakeEvents());
  });

  afterEach(() => store.dispose());

  it('changes one lake, keeps the others and the rules', () => {
    const subject = lakeSubject(store);
    const base = { settings: SETTINGS, lake: SETTINGS.lakes[1] };
    const draft = { ...subject.draftOf(base), default: 'yes', projects: 'a b' };
    const { data } = subject.read(draft, base).change;
    expect(data?.lakes?.map(lake => [lake.name, lake.default])).toEqual([
      ['main', false],
      ['old', true]
    ]);
    expect(data?.lakes?.[1].projects).toEqual(['a', 'b']);
    expect(data?.cache?.projects).toEqual({ a: '0' });
    expect(data?.revision).toBe('7');
    expect(subject.fieldOf('lakes[1].url', base)).toBe('url');
    expect(subject.fieldOf('lakes[0].url', base)).toBeUndefined();
  });

  it('adds a lake at the end', () => {
    const subject = lakeSubject(store);
    const base = { settings: SETTINGS };
    const draft = { ...subject.draftOf(base), name: 'new', url: 'gs://b' };
    const { data } = subject.read(draft, base).change;
    expect(data?.lakes?.map(({ name }) => name)).toEqual([
      'main',
      'old',
      'new'
    ]);
    expect(subject.fieldOf('lakes[2].name', base)).toBe('name');
  });

  it('removes one lake only', async () => {
    await removeLake(store, { settings: SETTINGS, lake: SETTINGS.lakes[1] });
    const { body } = server.asked[server.asked.length - 1];
    expect((body as { lakes: { name: string }[] }).lakes).toHaveLength(1);
  });

  it('reads exceptions by name, and says which is none', () => {
    const subject = cacheSubject(store, nullTranslator.load(''));
    const typed = subject.draftOf(SETTINGS);
    expect(typed).toEqual({
      unused: '24h',
      high_water: '0.9',
      projects: 'a=0',
      datasets: ''
    });
    const draft = { ...typed, datasets: 'digits=30d, faces' };
    const { change, problems } = subject.read(draft, SETTINGS);
    expect(change.data?.cache?.datasets).toMatchObject({ digits: '30d' });
    expect(problems.map(({ field }) => field)).toEqual(['cache.datasets']);
    expect(problems[0].message).toContain('faces');
    expect(subject.fieldOf('cache.datasets.digits', SETTINGS)).toBe('datasets');
  });
});
