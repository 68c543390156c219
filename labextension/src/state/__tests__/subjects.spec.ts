import { waitFor } from '@testing-library/react';
import { makeGroups, makeRules } from '../../__tests__/builders';
import { FakeEvents, FakeServer } from '../../__tests__/fakeserver';
import { NodeGroup } from '../../api/models';
import { groupSubject } from '../settings/groupsubject';
import { rulesSubject } from '../settings/rulessubject';
import { SettingModel } from '../settings/settingmodel';
import { Store } from '../store';
import { NO, YES } from '../settings/formvalues';

const PREVIEW = '/settings/preview';
const BIG: NodeGroup = { name: 'big', nodes: ['n1', 'n2'], separate: true };
const SMALL: NodeGroup = { name: 'small', nodes: ['n3'], separate: false };

describe('the forms of rules and node groups', () => {
  let server: FakeServer;
  let store: Store;

  beforeEach(() => {
    server = new FakeServer();
    store = new Store(server.settings, new FakeEvents());
    server.on(`POST ${PREVIEW}`, {
      body: { message: 'As it is.', projects: [], sessions: [], warnings: [] }
    });
  });

  afterEach(() => store.dispose());

  const sent = (path: string) =>
    server.asked.filter(asked => asked.path === path).map(({ body }) => body);
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
  const outdated = (route: string) =>
    server.on(route, {
      status: 409,
      body: { code: 'Outdated', message: 'Ben was.', hint: '', fields: [] }
    });

  describe('rules', () => {
    const make = (changes = {}) =>
      new SettingModel(rulesSubject(store.administration), makeRules(changes));

    it('are written as typed, and read back', async () => {
      const model = make({ grace: 90, min_runtime: 600, consolidate: true });
      expect(model.draft).toEqual({
        grace: '1m30s',
        minimum: '10m',
        consolidate: YES
      });
      expect(model.isDirty).toBe(false);
      model.set({ grace: ' 2m ', minimum: '', consolidate: NO });
      server.on('PUT /rules', { body: makeRules() });
      await model.try();
      expect(await model.apply()).toBe(true);
      const rules = {
        grace: '2m',
        min_runtime: 0,
        consolidate: false,
        revision: '3'
      };
      expect(sent(PREVIEW)).toEqual([{ rules }]);
      expect(sent('/rules')).toEqual([rules]);
    });

    it('say what is wrong, whoever found it', async () => {
      refuse(`POST ${PREVIEW}`, 'rules.grace', 'rules.odd');
      const model = make();
      await model.try();
      expect(model.firstBroken).toBe('grace');
      expect(model.otherProblems).toHaveLength(1);
      refuse('PUT /rules', 'min_runtime');
      expect(await model.apply()).toBe(false);
      expect(model.firstBroken).toBe('minimum');
    });

    it('keep what was typed where somebody else was quicker', async () => {
      outdated('PUT /rules');
      const model = make();
      model.set({ grace: '5m' });
      await model.apply();
      const theirs = makeRules({ grace: 30, consolidate: true, revision: '4' });
      server.on('GET /rules', { body: theirs });
      await model.reload();
      expect(model.conflicts).toEqual([{ field: 'grace', theirs: '30s' }]);
      expect(model.draft).toMatchObject({ grace: '5m', consolidate: YES });
      await model.apply();
      expect(sent('/rules').at(-1)).toMatchObject({
        grace: '5m',
        revision: '4'
      });
    });
  });

  describe('a node group', () => {
    const groups = makeGroups([BIG, SMALL]);
    const make = (group?: NodeGroup) =>
      new SettingModel(groupSubject(store.administration), { groups, group });

    it('is set among the others', async () => {
      server.on('PUT /groups', { body: groups });
      const model = make(BIG);
      expect(model.draft).toEqual({
        name: 'big',
        nodes: 'n1, n2',
        separate: YES
      });
      model.set({ nodes: 'n1 ,n4', separate: NO });
      await model.try();
      await model.apply();
      const wanted = [
        { name: 'big', nodes: ['n1', 'n4'], separate: false },
        SMALL
      ];
      expect(sent(PREVIEW)).toEqual([{ groups: wanted }]);
      expect(sent('/groups')).toEqual([{ groups: wanted, revision: '5' }]);
    });

    it('is made at the end', async () => {
      server.on('PUT /groups', { body: groups });
      const model = make();
      expect(model.isThere).toBe(false);
      model.set({ name: ' new ', nodes: 'n5' });
      await model.apply();
      const made = { name: 'new', nodes: ['n5'], separate: false };
      expect(sent('/groups')).toMatchObject([{ groups: [BIG, SMALL, made] }]);
    });

    it('knows its own problems from those of others', async () => {
      refuse(
        `POST ${PREVIEW}`,
        'groups[0].nodes[0]',
        'groups[1].nodes[1]',
        'groups[1]',
        'groups'
      );
      const model = make(SMALL);
      await model.try();
      expect(model.problemsOf('nodes')).toHaveLength(1);
      expect(model.problemsOf('name')).toHaveLength(1);
      expect(model.otherProblems.map(({ field }) => field)).toEqual([
        'groups[0].nodes[0]',
        'groups'
      ]);
    });

    it('goes on from all groups as they are now', async () => {
      outdated('PUT /groups');
      const model = make(BIG);
      model.set({ nodes: 'n1' });
      await model.apply();
      const theirs = { ...BIG, nodes: ['n2'], separate: false };
      server.on('GET /groups', { body: makeGroups([SMALL, theirs], '6') });
      await model.reload();
      expect(model.conflicts).toEqual([{ field: 'nodes', theirs: 'n2' }]);
      await model.apply();
      expect(sent('/groups').at(-1)).toEqual({
        groups: [SMALL, { name: 'big', nodes: ['n1'], separate: false }],
        revision: '6'
      });
    });

    it('is made again where it is gone', async () => {
      server.on('GET /groups', { body: makeGroups([SMALL], '6') });
      const model = make(BIG);
      await model.reload();
      expect(model.isThere).toBe(false);
      server.on('PUT /groups', { body: groups });
      await model.apply();
      expect(sent('/groups').at(-1)).toEqual({
        groups: [SMALL, BIG],
        revision: '6'
      });
    });
  });

  it('have the log of changes read again', async () => {
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
});
