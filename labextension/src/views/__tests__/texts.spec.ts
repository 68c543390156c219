import { nullTranslator } from '@jupyterlab/translation';
import { makeSession } from '../../__tests__/builders';
import { placeText } from '../parts/placetexts';
import {
  clockText,
  lineText,
  localTimes,
  shareLine,
  statusLine,
  statusText
} from '../parts/texts';

const trans = nullTranslator.load('jupyter_gpuquota');

const WAITING = {
  state: 'waiting',
  queue_position: 2,
  placement: null,
  reason: {
    code: 'OverQuota',
    message: 'team-a is full.',
    hint: '',
    raw: ''
  }
} as const;

describe('what is said of a waiting session', () => {
  const say = (changes: Parameters<typeof makeSession>[0]) => {
    const session = makeSession(changes);
    return [statusText(trans, session, 0), statusLine(trans, session, 0)];
  };

  it('is its place in the queue and the reason', () => {
    expect(say(WAITING)).toEqual([
      'Queued (#2): team-a is full.',
      'Queued (#2): quota used up'
    ]);
    expect(say({ ...WAITING, queue_position: 0 })).toEqual([
      'Queued: team-a is full.',
      'Queued: quota used up'
    ]);
    expect(lineText(trans, makeSession())).toBe('');
    const spec = { ...makeSession().spec, kind: 'train' as const };
    expect(say({ ...WAITING, spec })[1]).toBe(
      'Queued (#2): over quota, nothing to borrow'
    );
  });

  it('is when it should start, where that is known and to come', () => {
    const at = new Date(0);
    at.setHours(at.getHours() + 2);
    const known = { ...WAITING, expected: at.toISOString() };
    const time = clockText(known.expected);
    expect(say(known)).toEqual([
      `Queued (#2), starts about ${time}: team-a is full.`,
      `Starts about ${time} (#2): quota used up`
    ]);
    const session = makeSession(known);
    expect(statusText(trans, session, at.getTime() + 1)).toBe(
      'Queued (#2): team-a is full.'
    );
  });

  it('is where it waits, and where it goes on to', () => {
    const share = makeSession().spec.share;
    const place = (name: string, cluster: string) => ({
      ...{ name, cluster, share },
      project: 'team-a',
      refused: ''
    });
    const until = new Date(0).toISOString();
    const fallback = {
      places: [place('lab', 'lab'), place('big', 'cloud')],
      current: 0,
      next: 1,
      since: until,
      until,
      moving: false
    };
    const time = clockText(until);
    const text = 'If it has not started by 00:00 UTC, it goes on to cloud.';
    const reason = {
      ...WAITING.reason,
      message: `${WAITING.reason.message} ${text}`,
      more: [{ key: 'fallback.until', args: {}, text }]
    };
    expect(say({ ...WAITING, fallback, reason })).toEqual([
      `Queued (#2) in lab, goes on to big (cloud) at ${time}: team-a is full.`,
      `Goes on to big (cloud) at ${time} (#2): quota used up`
    ]);
    const away = { ...fallback, until: null };
    expect(say({ ...WAITING, fallback: away })[1]).toBe(
      'Goes on to big (cloud) once it can be reached (#2): quota used up'
    );
    const stays = { ...fallback, current: 1, next: null, until: null };
    expect(say({ ...WAITING, fallback: stays })[1]).toBe(
      'Queued (#2): quota used up'
    );
  });

  it('names no GPU where a node may lack something else', () => {
    const text = 'No node has room for it.';
    const reason = { ...WAITING.reason, code: 'NoNodeFits', message: text };
    const line = (key: string) =>
      say({ ...WAITING, reason: { ...reason, key } })[1];
    expect(line('gpus.too_few')).toBe('Queued (#2): no free GPU');
    expect(line('node.none')).toBe(`Queued (#2): ${text}`);
  });

  it('is when and for whom it was reclaimed', () => {
    const at = new Date();
    at.setHours(14, 2, 0, 0);
    const reclaimed = {
      at: at.toISOString(),
      session: 's9',
      name: 'd-2-gg',
      project: 'team-d',
      moved: false
    };
    const both = say({ ...WAITING, reclaimed });
    const time = at.toLocaleTimeString(undefined, { timeStyle: 'short' });
    const text = `Reclaimed at ${time} for d-2-gg (team-d) · queued (#2)`;
    expect(both).toEqual([text, text]);
    const moved = { ...reclaimed, moved: true };
    expect(say({ ...WAITING, queue_position: 0, reclaimed: moved })[0]).toBe(
      `Moved at ${time} to make room for d-2-gg (team-d) · queued`
    );
    expect(say({ reclaimed })[0]).toContain('Running');
    const hidden = { ...reclaimed, session: '', name: '' };
    expect(say({ ...WAITING, reclaimed: hidden })[0]).toContain(
      'for a team-d session'
    );
  });

  it('is the step of one that starts, said once', () => {
    const starting = (message: string) =>
      say({
        state: 'starting',
        progress: [{ at: '', message }] as never
      })[0];
    expect(starting('Starting a Jupyter Server from .venv')).toBe(
      'Starting a Jupyter Server from .venv'
    );
    expect(starting('Pulling torch:2')).toBe('Starting: Pulling torch:2');
  });

  it('is that a session gives its GPUs back', () => {
    expect(say({ state: 'stopping', goal: 'requeue' })[0]).toBe(
      'Releasing GPUs'
    );
  });
});

describe('where a session runs', () => {
  const place = (...known: { index?: number; uuid?: string }[]) =>
    placeText(trans, {
      node: 'n1',
      simulated: false,
      slices: known.map(({ index = null, uuid = '' }) => {
        const part = { milli: 500, memory: 0, compute: 0, mig: '' };
        return { index, uuid, ...part };
      })
    });

  it('is said as far as it is known', () => {
    expect(place({})).toBe('n1');
    expect(place({ uuid: 'GPU-4f2a9c1d-77aa' })).toBe('n1, GPU 4f2a9c1d');
    expect(place({ index: 3, uuid: 'GPU-4f2a' }, { index: 0 })).toBe(
      'n1, GPU 3, 0'
    );
  });
});

test('times of the server are those of the user', () => {
  const said = (time: string) =>
    `root changed team-b at ${time}. Your change was not saved.`;
  expect(localTimes(said('2026-03-01 22:47:03 UTC'))).toBe(
    said(clockText('2026-03-01T22:47:03Z'))
  );
  expect(localTimes('Use Europe/Berlin or UTC.')).toBe(
    'Use Europe/Berlin or UTC.'
  );
});

test('a share comes with its memory, whole GPUs too', () => {
  const session = makeSession();
  const [slice] = session.placement!.slices;
  const whole = { ...slice, milli: 1000, memory: 32768 };
  const two = {
    ...session,
    spec: { ...session.spec, share: { ...session.spec.share, milli: 2000 } },
    placement: { ...session.placement!, slices: [whole, whole] }
  };
  expect(shareLine(trans, session)).toBe('½ GPU · 16 GiB');
  expect(shareLine(trans, two)).toBe('2 GPUs · 64 GiB');
  expect(shareLine(trans, { ...two, placement: null })).toBe('2 GPUs');
});
