import { waitFor } from '@testing-library/react';
import { makeRules, makeSetProject } from '../../__tests__/builders';
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
    new SettingModel(projectSubject(store.administration), base);
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
    expect(sent('POST')).toMatchObject([{ name: 'team-a', quota: '6' }]);
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
    refuse('POST /settings/preview', 'name', 'quota');
    const model = make(null);
    expect(await model.apply()).toBe(false);
    expect(model.firstBroken).toBe('name');
    expect(model.problemsOf('quota')).toHaveLength(1);
    expect(model.failure).toBeUndefined();
    expect(sent('PUT')).toEqual([]);
  });

  it('says what is wrong, of fields that it lacks, too', async () => {
    refuse('PUT /projects/team-a', 'members[1]', 'limit', 'odd');
    const model = make();
    expect(await model.apply()).toBe(false);
    expect(model.problemsOf('members')).toHaveLength(1);
    expect(model.otherProblems).toHaveLength(1);
    model.set({ members: 'ana' });
    expect(model.problemsOf('members')).toEqual([]);
    expect(model.problemsOf('limit')).toHaveLength(1);
  });

  it('has no members where the cluster has the people', () => {
    const subject = projectSubject(store.administration, true);
    expect(subject.fields).toEqual(['name', 'quota', 'limit']);
    const project = makeSetProject({ members: ['ana'] });
    const draft = subject.draftOf(project);
    expect(subject.read(draft, project)).toMatchObject({
      project: { members: ['ana'] }
    });
  });

  it('has the log of changes read again', async () => {
    const { rules, audit } = store.administration;
    const log = { items: [], total: 0, revision: '1', next: '' };
    server.on('GET /audit', { body: log });
    server.on('GET /rules', { body: makeRules() });
    await rules.refresh();
    audit.watch(0);
    await waitFor(() => expect(server.count('GET /audit')).toBe(1));
    await rules.refresh();
    server.on('GET /rules', { body: makeRules({ revision: '4' }) });
    await rules.refresh();
    await waitFor(() => expect(server.count('GET /audit')).toBe(2));
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
