import { nullTranslator } from '@jupyterlab/translation';
import { makeIdle, makeSession } from '../../__tests__/builders';
import { endedBy } from '../../__tests__/endings';
import { Idleness, Signal } from '../../api/models';
import {
  countdownText,
  idleText,
  rowLine,
  rowText,
  warningText,
  whoseText
} from '../idle/texts';
import { quietText } from '../administration/policytexts';
import { clockText } from '../parts/texts';
import { endedText } from '../idle/notices';

const trans = nullTranslator.load('jupyter_gpuquota');
const NOW = Date.parse('2026-01-01T13:00:00Z');
const at = (minutes: number) =>
  clockText(new Date(NOW + minutes * 60_000).toISOString());
const idle = (changes: Partial<Idleness> = {}) =>
  makeSession({ idle: makeIdle(22, 48, changes, NOW) });
const WARNED = { warned: '2026-01-01T12:58:00Z' };

describe('what is said of an idle session', () => {
  it('is since when, what comes, and whose policy it is', () => {
    expect(idleText(trans, idle(), NOW)).toBe(
      `idle 22 min: will be suspended at ${at(48)}, team-a's policy`
    );
    expect(rowLine(trans, idle(), NOW)).toBe(
      `idle 22 min, suspends at ${at(48)}`
    );
    expect(rowText(trans, idle({ action: 'stop' }), NOW)).toBe(
      `Running 1 hr, idle 22 min: will be stopped at ${at(48)}, team-a's policy`
    );
  });

  it('names the GPU where only that is not used', () => {
    const gpu = idle({ rule: 'gpu_idle_timeout', level: 'everyone' });
    expect(idleText(trans, gpu, NOW)).toBe(
      `GPU unused for 22 min: will be suspended at ${at(48)}, everyone's policy`
    );
  });

  it('says that it is exempt, and until when', () => {
    const until = new Date(NOW + 60 * 60_000).toISOString();
    const exempt = idle({ action: '', acts: null, level: '', exempt: until });
    expect(idleText(trans, exempt, NOW)).toBe(
      `idle 22 min: exempt until ${at(60)}`
    );
    expect(rowLine(trans, exempt, NOW)).toBe(
      `idle 22 min, exempt until ${at(60)}`
    );
  });

  it('is that it cannot be found idle, and why', () => {
    const session = makeSession({ unmeasured: 'One of its GPUs is busy.' });
    const said = 'cannot idle out: one of its GPUs is busy';
    expect(idleText(trans, session, NOW)).toBe(said);
    expect(rowLine(trans, session, NOW)).toBe(said);
  });

  it('has no end where nothing is done', () => {
    const never = idle({ action: '', acts: null, level: '' });
    expect(rowLine(trans, never, NOW)).toBe('Running 1 hr');
    const notice = idle({ action: 'notify', ...WARNED });
    expect(rowLine(trans, notice, NOW)).toBe('idle 22 min');
    expect(idleText(trans, notice, NOW)).toBe(
      "idle 22 min: team-a's policy only notifies you"
    );
    expect(warningText(trans, notice)).toBe(
      `exp-1 has been idle since ${at(-22)} (team-a's policy)`
    );
  });

  it('is nothing in the first minute, and of what does not run', () => {
    const fresh = makeSession({ idle: makeIdle(0.5, 60, {}, NOW) });
    expect(idleText(trans, fresh, NOW)).toBe('');
    expect(rowLine(trans, fresh, NOW)).toBe('Running 1 hr');
    expect(idleText(trans, { ...idle(), state: 'stopping' }, NOW)).toBe('');
  });

  it('is until when it is kept alive', () => {
    const until = new Date(NOW + 60 * 60_000).toISOString();
    const kept = { until, times: 1 };
    const both = makeSession({ idle: makeIdle(22, 60, {}, NOW), kept });
    expect(rowLine(trans, both, NOW)).toBe(`kept alive until ${at(60)}`);
    expect(idleText(trans, both, NOW)).toBe(
      `idle 22 min, kept alive until ${at(60)}: will be suspended at ${at(60)}, team-a's policy`
    );
    const unruled = makeIdle(22, 60, { acts: null, action: '' }, NOW);
    const unended = makeSession({ idle: unruled, kept });
    for (const running of [unended, makeSession({ kept })]) {
      expect(rowLine(trans, running, NOW)).toBe('Running 1 hr');
    }
    expect(idleText(trans, makeSession({ kept }), NOW)).toBe(
      `kept alive until ${at(60)}`
    );
    expect(idleText(trans, makeSession({ kept }), NOW + 4_000_000)).toBe('');
  });

  it('has an end by its maximum run time, shown in the row when that is near', () => {
    const ends = new Date(NOW + 20 * 60_000).toISOString();
    const old = makeSession({ ends, ends_by: 'project:team-b' });
    const said = `stops at ${at(20)} (max. run time, team-b's policy)`;
    expect(rowText(trans, old, NOW)).toBe(`Running 1 hr, ${said}`);
    expect(rowLine(trans, old, NOW)).toBe('Running 1 hr');
    expect(rowLine(trans, old, NOW + 10 * 60_000)).toBe(`stops at ${at(20)}`);
    const both = { ...old, idle: makeIdle(22, 60, {}, NOW) };
    expect(rowText(trans, both, NOW)).toContain(`team-a's policy; ${said}`);
    const gone = { ...old, state: 'stopped' as const };
    expect(rowText(trans, gone, NOW)).not.toContain('longest life');
  });

  it('counts down once its owner was warned', () => {
    const warned = idle(WARNED);
    const left = (minutes: number) =>
      countdownText(trans, warned, NOW + (48 - minutes) * 60_000);
    expect(rowLine(trans, warned, NOW)).toBe('suspends in 48 min');
    expect(left(8)).toBe('suspends in 8 min');
    expect(left(1.5)).toBe('suspends in 90 s');
    expect(left(0)).toBe('suspends now');
    expect(left(72)).toBe('suspends in 1 hr 12 min');
    expect(warningText(trans, warned)).toBe(
      `exp-1 will be suspended at ${at(48)} unless used (team-a's policy)`
    );
    expect(
      warningText(trans, idle({ ...WARNED, rule: 'gpu_idle_timeout' }))
    ).toBe(
      `exp-1 will be suspended at ${at(48)} because its GPU is unused (team-a's policy)`
    );
  });
});

describe('what is said of a session that was idle', () => {
  const message =
    "It was suspended by the rule idle_timeout of team-a's policy. There was no GPU activity for 2h.";
  const reason = { code: 'IdleTimeout', message, hint: '', raw: '' } as const;
  const ended = makeSession({ state: 'suspended', reason });

  it('is the rule, and what is kept', () => {
    expect(endedText(trans, ended)).toBe(
      `exp-1: ${message} Files and settings are kept.`
    );
    expect(rowLine(trans, ended, NOW)).toBe('Suspended – idle');
    expect(rowText(trans, ended, NOW)).toBe(`Suspended 1 hr ago: ${message}`);
  });

  it('leaves out first what did nothing, then what is kept', () => {
    const what =
      "It was suspended by the rule idle_timeout of everyone's policy.";
    const why =
      'There was no user, kernel, terminal or CPU activity for 2h 10m.';
    const killed =
      'It did not end in time and was killed: what it had not saved is lost.';
    const say = (...parts: string[]) =>
      endedText(trans, {
        ...ended,
        reason: { ...reason, message: parts.join(' ') }
      });
    expect(say(what, why)).toBe(`exp-1: ${what} Files and settings are kept.`);
    expect(say(what, why, killed)).toBe(`exp-1: ${what} ${killed}`);
  });

  it('fits a notice', () => {
    const long = { ...reason, message: 'x'.repeat(300) };
    const text = endedText(trans, { ...ended, reason: long });
    expect(text).toHaveLength(140);
  });
});

test('who has ended a session and why is said instead of that it has ended', () => {
  const message = 'Stopped by root: dgx1-1 is needed.';
  expect(rowLine(trans, endedBy('root'), NOW)).toBe(message);
  expect(rowText(trans, endedBy('root'), NOW)).toBe(
    `Stopped 1 hr ago: ${message}`
  );
  const own = makeSession({
    state: 'stopped',
    reason: {
      ...{ code: 'StopRequested', message: 'Stopped on request.' },
      ...{ hint: '', raw: '', key: 'request.stop', args: {} }
    }
  });
  expect(rowLine(trans, own, NOW)).toBe('Stopped 1 hr ago');
});

test('levels are named as the server names them', () => {
  const say = (level: string) => whoseText(trans, level, 'exp-1');
  expect(
    ['built-in', 'everyone', 'project:a:b', 'kind:train', 'session'].map(say)
  ).toEqual([
    'the default policy',
    "everyone's policy",
    "a:b's policy",
    'the policy for train sessions',
    "exp-1's own setting"
  ]);
});

test('what did nothing is named as the server names it', () => {
  const signal = (name: Signal['name'], state: Signal['state'] = 'idle') => ({
    name,
    state,
    last: '',
    detail: ''
  });
  const all = [signal('kernels'), signal('terminals'), signal('gpu')];
  const quiet = quietText(trans, [...all, signal('cpu', 'busy')]);
  expect(quiet).toBe('no kernel, terminal or GPU activity');
  expect(quietText(trans, [signal('process')])).toBe('no process activity');
  expect(quietText(trans, [])).toBe('');
  expect(idleText(trans, idle(), NOW, quiet)).toBe(
    `idle 22 min: ${quiet}; will be suspended at ${at(48)}, team-a's policy`
  );
});
