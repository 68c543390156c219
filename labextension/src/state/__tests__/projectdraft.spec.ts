import { makeSetProject } from '../../__tests__/builders';
import { differenceOf } from '../settings/audit';
import {
  NEW_PROJECT,
  toProjectDraft,
  toProjectRequest
} from '../settings/projectdraft';
import { spanOf } from '../settings/formvalues';

describe('the draft of a project', () => {
  it('says a project as an admin would type it, and keeps all else', () => {
    const project = makeSetProject({
      quota: 2500,
      weight: 500,
      limit: 8000,
      members: ['ana', 'ben'],
      leads: ['cho'],
      viewers: ['group:finance', 'eve'],
      node_affinity: { interactive: [], train: ['big'] },
      interactive_duration: 28_800,
      min_runtime: 90,
      revision: '7'
    });
    const draft = toProjectDraft(project);
    expect(draft).toEqual({
      name: 'team-a',
      quota: '2.5',
      limit: '8',
      members: 'ana, ben'
    });
    expect(toProjectRequest({ ...draft, members: '' }, project)).toEqual({
      name: 'team-a',
      quota: '2.5',
      weight: '0.5',
      limit: '8',
      priority: 100,
      members: [],
      leads: ['cho'],
      viewers: ['group:finance', 'eve'],
      node_affinity: { interactive: [], train: ['big'] },
      interactive_duration: 28_800,
      min_runtime: 90,
      revision: '7'
    });
  });

  it('asks for no limit where nothing is typed', () => {
    const draft = {
      ...NEW_PROJECT,
      name: ' team-e ',
      quota: '1',
      members: ' ana,,ben  li '
    };
    expect(toProjectRequest(draft)).toEqual({
      name: 'team-e',
      quota: '1',
      limit: null,
      members: ['ana', 'ben', 'li'],
      revision: ''
    });
    const words = { ...NEW_PROJECT, limit: 'none ' };
    expect(toProjectRequest(words)).toMatchObject({ limit: null });
  });

  it('writes spans exactly', () => {
    expect([0, 59, 5400, 90_061].map(spanOf)).toEqual([
      '',
      '59s',
      '1h30m',
      '25h1m1s'
    ]);
  });
});

describe('the audit log', () => {
  it('shows what differs only, in GPUs', () => {
    const before = JSON.stringify({
      name: 'team-a',
      quota: 4000,
      limit: null,
      revision: '1'
    });
    const after = JSON.stringify({
      name: 'team-a',
      quota: 4500,
      limit: 8000,
      revision: '2'
    });
    expect(differenceOf({ before, after })).toEqual({
      before: 'quota: 4\nlimit: none',
      after: 'quota: 4.5\nlimit: 8'
    });
  });

  it('shows all of what is new or gone', () => {
    const text = JSON.stringify({
      name: 'team-a',
      members: ['ana', 'ben'],
      node_affinity: { interactive: [], train: ['big'] },
      draining: false
    });
    expect(differenceOf({ before: '', after: text })).toEqual({
      before: '',
      after:
        'name: team-a\nmembers: ana, ben\nnode_affinity: train big\ndraining: no'
    });
  });

  it('shows times as they are typed', () => {
    const before = JSON.stringify({ grace: 60, min_runtime: 0 });
    const after = JSON.stringify({ grace: 90, min_runtime: 600 });
    expect(differenceOf({ before, after })).toEqual({
      before: 'grace: 1m\nmin_runtime: 0',
      after: 'grace: 1m30s\nmin_runtime: 10m'
    });
  });

  it('shows the node groups that differ only', () => {
    const big = { name: 'big', nodes: ['n1'] };
    const small = { name: 'small', nodes: ['n2'] };
    const groups = (...items: object[]) =>
      JSON.stringify({ items, revision: String(items.length) });
    expect(
      differenceOf({
        before: groups(big, small),
        after: groups({ ...big, nodes: ['n1', 'n3'] }, small)
      })
    ).toEqual({
      before: 'big: nodes n1',
      after: 'big: nodes n1, n3'
    });
  });

  it('shows what is no object as it stands', () => {
    const entry = { before: '[1]', after: '{' };
    expect(differenceOf(entry)).toEqual(entry);
  });
});
