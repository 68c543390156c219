import { nullTranslator } from '@jupyterlab/translation';
import { makeJob } from '../../__tests__/datasets';
import { FakeServer } from '../../__tests__/fakeserver';
import { makeManifest, makeSnapshot } from '../../__tests__/storage';
import { Page } from '../../__tests__/page';
import { partsOf } from '../snapshots/parts';
import { RestoreModel } from '../snapshots/restoring';
import { jobText } from '../../views/datasets/texts';
import { inOrder, isOfSnapshots, matching } from '../snapshots/snapshots';
import { TakeModel, toRequest } from '../snapshots/taking';

describe('the parts of a snapshot', () => {
  it('are stored, incomplete, missing or not there', () => {
    const manifest = makeManifest({
      problems: [
        { part: 'tree:.env', message: 'Left out: it may hold secrets.' },
        { part: 'kernel', message: 'The kernel is busy.' }
      ]
    });
    const states = new Map(
      partsOf(manifest).map(({ part, state }) => [part, state])
    );
    expect(states.get('tree')).toBe('partly');
    expect(states.get('git')).toBe('stored');
    expect(states.get('kernel')).toBe('missing');
    expect(states.get('volumes')).toBe('none');
  });

  it('say which file is concerned', () => {
    const problems = [{ part: 'tree:a:b.txt', message: 'It cannot be read.' }];
    const [tree] = partsOf(makeManifest({ problems }));
    expect(tree.problems).toEqual(['a:b.txt: It cannot be read.']);
  });

  it('are shown also where only a newer server knows them', () => {
    const problems = [{ part: 'queue', message: 'It is gone.' }];
    const [last] = partsOf(makeManifest({ problems })).slice(-1);
    expect(last).toEqual({
      part: 'queue',
      state: 'missing',
      problems: ['It is gone.']
    });
  });
});

it('what works on the files of snapshots does not belong to datasets', () => {
  const verify = makeJob({ kind: 'verify', dataset: '.snapshots-4813' });
  expect(isOfSnapshots(verify)).toBe(true);
  expect(isOfSnapshots(makeJob({ kind: 'restore' }))).toBe(true);
  expect(isOfSnapshots(makeJob({ kind: 'verify' }))).toBe(false);
  expect(jobText(nullTranslator.load(''), verify)).toBe('Verifying a snapshot');
});

it('torn files are there, but not whole', () => {
  const problems = [{ part: 'torn:last.ckpt', message: 'It was written.' }];
  const [torn] = partsOf(makeManifest({ problems })).slice(-1);
  expect(torn).toEqual({
    part: 'torn',
    state: 'partly',
    problems: ['last.ckpt: It was written.']
  });
});

it('notes of a manifest are no missing parts', () => {
  const problems = [
    { part: 'left out:id_rsa', message: 'It is a file of keys.' },
    { part: 'env:TOKEN', message: 'It may be a secret.' }
  ];
  const states = new Map(
    partsOf(makeManifest({ problems })).map(({ part, state }) => [part, state])
  );
  expect(states.get('left out')).toBe('noted');
  expect(states.get('env')).toBe('noted');
});

it('snapshots are found by all words of a filter', () => {
  const best = makeSnapshot({ tags: ['best'] });
  const other = makeSnapshot({ note: 'second' });
  expect(matching([best, other], 'BEST exp-1')).toEqual([best]);
});

it('two snapshots are compared from the earlier to the later one', () => {
  const old = makeSnapshot({ created: '2026-01-01T00:00:00Z' });
  const late = makeSnapshot({ created: '2026-02-01T00:00:00Z' });
  expect(inOrder(late, old)).toEqual([old, late]);
});

it('lists are typed with spaces or commas', () => {
  const draft = {
    note: ' why ',
    tags: 'a, b',
    exclude: '*.tmp /raw/',
    artifacts: '',
    variables: 'df',
    volumes: ''
  };
  expect(toRequest(draft)).toEqual({
    note: 'why',
    tags: ['a', 'b'],
    exclude: ['*.tmp', '/raw/'],
    artifacts: [],
    variables: ['df'],
    volumes: null
  });
  expect(toRequest({ ...draft, volumes: 'a b' }).volumes).toEqual(['a', 'b']);
});

describe('a new snapshot', () => {
  it('asks again how much it would store only where that changes', async () => {
    const page = new Page();
    const preview = {
      files: 2,
      size: 10,
      complete: true,
      left_out: [],
      all_left_out: 0
    };
    page.server.on('POST /sessions/s1/snapshots/preview', { body: preview });
    const model = new TakeModel(page.store, { id: 's1' }, 1);
    const asked = () =>
      page.server.asked.filter(({ path }) => path.endsWith('/preview'));
    const settled = (done: () => boolean) =>
      new Promise<void>(resolve => {
        const look = () => done() && resolve();
        model.changed.connect(look);
        look();
      });
    await settled(() => model.plan !== undefined);
    model.set({ note: 'why' });
    model.set({ exclude: '/raw/' });
    await settled(() => asked().length === 2);
    expect(asked().map(({ body }) => body)).toEqual([
      { exclude: [], volumes: null },
      { exclude: ['/raw/'], volumes: null }
    ]);
    model.dispose();
    page.dispose();
  });
});

describe('a restore', () => {
  let page: Page;
  let server: FakeServer;
  let model: RestoreModel;
  const snapshot = makeSnapshot();
  const plan = (changes: object = {}) => ({
    snapshot: snapshot.id,
    folder: '/home/ana/exp-2',
    size: 1,
    free: null,
    spec: null,
    claims: [],
    problems: [],
    warnings: [],
    ...changes
  });

  beforeEach(() => {
    page = new Page();
    server = page.server;
    server.on(`POST /snapshots/${snapshot.id}/plan`, { body: plan() });
    server.on(`POST /snapshots/${snapshot.id}/restores`, {
      status: 202,
      body: { id: 'r1' }
    });
    model = new RestoreModel(page.store, snapshot, 1);
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const planned = () =>
    new Promise<void>(resolve => {
      const look = () => {
        if (model.planned.status !== 'pending') {
          model.changed.disconnect(look);
          resolve();
        }
      };
      model.changed.connect(look);
      look();
    });
  const sent = () =>
    server.asked.filter(({ path }) => path.endsWith('/restores'));

  it('is planned before anything is made', async () => {
    await planned();
    expect(model.planned).toMatchObject({
      status: 'ready',
      plan: { folder: '/home/ana/exp-2' }
    });
    expect(sent()).toHaveLength(0);
  });

  it('shows at the fields what the plan has found', async () => {
    const problems = [
      { field: 'name', message: 'It is taken.', hint: '' },
      { field: 'data[0]', message: 'The version is gone.', hint: '' }
    ];
    server.on(`POST /snapshots/${snapshot.id}/plan`, {
      body: plan({ problems })
    });
    model.set({ name: 'exp-1' });
    await new Promise<void>(resolve => {
      model.changed.connect(() => model.obstacles.length && resolve());
    });
    expect(model.problemsOf('name')[0].message).toBe('It is taken.');
    expect(model.obstacles[0].message).toBe('The version is gone.');
  });

  it('goes into a new session unless the user wants something else', async () => {
    model.set({ name: ' exp-2 ' });
    expect(await model.send()).toEqual({ id: 'r1' });
    expect(sent()[0].body).toMatchObject({
      name: 'exp-2',
      launch: true,
      variables: false
    });
  });
});
