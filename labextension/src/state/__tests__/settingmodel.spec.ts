import { nullTranslator } from '@jupyterlab/translation';
import { makeSetProject } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { Project } from '../../api/models';
import { projectSubject } from '../settings/projectsubject';
import { SettingModel } from '../settings/settingmodel';
import { Store } from '../store';

const EFFECT = {
  message: '1 session would start.',
  projects: [],
  sessions: [],
  warnings: []
};
const OUTDATED = {
  status: 409,
  body: {
    code: 'Outdated',
    message: 'team-a was changed meanwhile: ben at 12:30. Nothing was saved.',
    hint: 'Look at it as it is now.',
    fields: []
  }
};

describe('the form of a project', () => {
  let server: FakeServer;
  let store: Store;

  beforeEach(() => {
    server = new FakeServer();
    store = new Store(server.settings, new FakeEvents());
    server.on('POST /settings/preview', { body: EFFECT });
    server.on('PUT /projects/team-a', {
      body: {
        project: makeSetProject({ revision: '8' }),
        sessions: [],
        warnings: []
      }
    });
  });

  afterEach(() => store.dispose());

  const make = (base: Project | null = makeSetProject()) =>
    new SettingModel(
      projectSubject(
        store.administration,
        nullTranslator.load('jupyter_gpuquota')
      ),
      base
    );
  const list = (...items: Project[]) =>
    server.on('GET /projects', {
      body: { items, source: 'store', revision: '9', file: '', warnings: [] }
    });
  const sent = (method: string) =>
    server.asked
      .filter(asked => asked.method === method)
      .map(({ body }) => body);
  const refuse = (route: string, ...names: string[]) =>
    server.on(route, {
      status: 422,
      body: {
        code: 'InvalidFields',
        message: 'Not acceptable.',
        hint: '',
        fields: names.map(field => ({ field, message: 'Wrong.', hint: '' }))
      }
    });

  it('tries without changing anything, until something is typed', async () => {
    const model = make();
    model.set({ quota: '6' });
    await model.try();
    expect(model.effect?.message).toBe('1 session would start.');
    expect(sent('POST')).toMatchObject([
      { put: [{ name: 'team-a', quota: '6' }] }
    ]);
    expect(sent('PUT')).toEqual([]);
    model.set({ quota: '7' });
    expect(model.effect).toBeUndefined();
  });

  it('applies to the revision that it was made from', async () => {
    const model = make(makeSetProject({ revision: '7' }));
    model.set({ limit: '8' });
    expect(await model.apply()).toBe(true);
    expect(sent('PUT')).toMatchObject([{ limit: '8', revision: '7' }]);
  });

  it('has a new name looked at before it becomes a path', async () => {
    refuse('POST /settings/preview', 'put[0].name', 'put[0].quota');
    const model = make(null);
    expect(await model.apply()).toBe(false);
    expect(model.firstBroken).toBe('name');
    expect(model.problemsOf('quota')).toHaveLength(1);
    expect(model.failure).toBeUndefined();
    expect(sent('PUT')).toEqual([]);
  });

  it('says all that is wrong at once, its own findings included', async () => {
    refuse(
      'POST /settings/preview',
      'put[0].members[1]',
      'put[0].node_affinity.train[0]',
      'odd'
    );
    const model = make();
    model.set({ priority: 'high' });
    await model.apply();
    expect(model.problemsOf('priority')).toHaveLength(1);
    expect(model.problemsOf('members')).toHaveLength(1);
    expect(model.problemsOf('trainOn')).toHaveLength(1);
    expect(model.otherProblems).toHaveLength(1);
    expect(sent('PUT')).toEqual([]);
    model.set({ members: 'ana' });
    expect(model.problemsOf('members')).toEqual([]);
    expect(model.problemsOf('priority')).toHaveLength(1);
  });

  it('keeps what was typed where somebody else was quicker', async () => {
    server.on('PUT /projects/team-a', OUTDATED);
    list(
      makeSetProject({
        quota: 5000,
        limit: 9000,
        members: ['ben'],
        revision: '8'
      })
    );
    const model = make();
    model.set({ quota: '6', limit: '9' });
    expect(await model.apply()).toBe(false);
    expect(model.failure?.message).toContain('ben at 12:30');
    expect(model.draft.quota).toBe('6');

    await model.reload();
    expect(model.reloaded).toBe(true);
    expect(model.draft).toMatchObject({
      quota: '6',
      limit: '9',
      members: 'ben'
    });
    expect(model.conflicts).toEqual([{ field: 'quota', theirs: '5' }]);
    expect(model.isDirty).toBe(true);
    await model.apply();
    expect(sent('PUT')[1]).toMatchObject({ quota: '6', revision: '8' });
  });

  it('makes a project again that was deleted meanwhile', async () => {
    server.on('PUT /projects/team-a', OUTDATED);
    list();
    const model = make();
    await model.apply();
    await model.reload();
    expect(model.base).toBeNull();
    expect(model.draft.quota).toBe('4');
    server.on('PUT /projects/team-a', {
      body: { project: makeSetProject(), sessions: [], warnings: [] }
    });
    expect(await model.apply()).toBe(true);
    expect(sent('PUT')[1]).toMatchObject({ quota: '4', revision: '' });
  });

  it('says where it cannot reload', async () => {
    server.on('PUT /projects/team-a', OUTDATED);
    const model = make();
    await model.apply();
    server.isDown = true;
    await model.reload();
    expect(model.failure?.code).toBe('Unreachable');
    expect(model.reloaded).toBe(false);
  });
});
