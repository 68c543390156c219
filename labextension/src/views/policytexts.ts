import { TranslationBundle } from '@jupyterlab/translation';
import {
  DecidedRule,
  PolicyRules,
  RuleName,
  Signal,
  SignalName
} from '../api/models';
import { Table, textOf } from '../api/vocabulary';
import { Rule, ruleOf } from '../state/policydraft';
import { clockText } from './texts';

/** Name what activity is seen by. */
export function signalName(trans: TranslationBundle, name: SignalName): string {
  const texts = {
    kernels: trans.__('Kernels'),
    terminals: trans.__('Terminals'),
    presence: trans.__('User'),
    cpu: trans.__('CPU'),
    gpu: trans.__('GPU'),
    process: trans.__('Process')
  };
  return textOf(texts, name);
}

/** Say how one of the signals is. */
export function signalState(trans: TranslationBundle, signal: Signal): string {
  const texts = {
    busy: trans.__('busy'),
    idle: trans.__('idle since %1', clockText(signal.last)),
    unknown: trans.__('cannot be told, counts as busy')
  };
  return textOf(texts, signal.state);
}

/** Name what did nothing: `no kernel, terminal or GPU activity`. */
export function quietText(
  trans: TranslationBundle,
  signals: readonly Signal[]
): string {
  const nouns: Table<SignalName, string> = {
    kernels: trans.__('kernel'),
    terminals: trans.__('terminal'),
    presence: trans.__('user'),
    cpu: trans.__('CPU'),
    gpu: trans.__('GPU'),
    process: trans.__('process')
  };
  const idle = signals
    .filter(({ state }) => state === 'idle')
    .map(({ name }) => textOf(nouns, name));
  const last = idle.pop();
  if (!last) {
    return '';
  }
  return idle.length
    ? trans.__('no %1 or %2 activity', idle.join(', '), last)
    : trans.__('no %1 activity', last);
}

/** Write what a rule comes to. */
export function ruleValue(
  trans: TranslationBundle,
  { rule, value }: DecidedRule
): string {
  return rule === 'cpu_busy' || rule === 'gpu_busy'
    ? trans.__('%1 %', value)
    : value;
}

/** Write what a level sets a rule to, for reading: where `0` is typed, what it stands for. */
export function setText(
  trans: TranslationBundle,
  rules: PolicyRules,
  rule: Rule
): string {
  const text = ruleOf(rules, rule);
  if (text !== '0' || rule === 'keep_alives' || rule.endsWith('_busy')) {
    return text;
  }
  return rule.endsWith('timeout') ? trans.__('never') : trans.__('none');
}

/** Name a rule of the policy. */
export function ruleText(trans: TranslationBundle, rule: RuleName): string {
  const texts = {
    idle_timeout: trans.__('Idle timeout'),
    idle_timeout_min: trans.__('Shortest own timeout'),
    idle_timeout_max: trans.__('Longest own timeout'),
    gpu_idle_timeout: trans.__('GPU idle timeout'),
    gpu_idle_action: trans.__('When the GPU is idle'),
    warn_before: trans.__('Warned before'),
    action: trans.__('When idle'),
    grace: trans.__('Time to save and end'),
    interactive_life: trans.__('Longest life, interactive'),
    train_life: trans.__('Longest life, training'),
    keep_alive: trans.__('Kept alive for'),
    keep_alives: trans.__('Kept alive, times'),
    cpu_busy: trans.__('CPU is busy above'),
    gpu_busy: trans.__('GPU is busy above'),
    quiet_hours: trans.__('Quiet hours')
  };
  return textOf(texts, rule);
}

/** Say in a line how a rule is typed and what it does. */
export function ruleHelp(trans: TranslationBundle, rule: Rule): string {
  return {
    idle_timeout: trans.__(
      'After how long without any activity: 30m, 2h; 0 for never.'
    ),
    action: trans.__('What is done then: suspend, stop or notify.'),
    warn_before: trans.__('How long before that its owner is told: 10m.'),
    idle_timeout_min: trans.__('The least that a session may wish for itself.'),
    idle_timeout_max: trans.__('The most that a session may wish for itself.'),
    gpu_idle_timeout: trans.__(
      'After how long without use of the GPU, whatever else it does: 1h; 0 for never.'
    ),
    gpu_idle_action: trans.__('What is done then: suspend, stop or notify.'),
    keep_alive: trans.__(
      'How long a user may keep a session alive at a time: 1h; 0 for not at all.'
    ),
    keep_alives: trans.__('How often, before it has to be used again.'),
    quiet_hours: trans.__(
      'When a shorter timeout holds, with semicolons: daily 22:00-06:00 Europe/Berlin: 20m.'
    ),
    grace: trans.__('How long a session has to save and to end by itself: 1m.'),
    interactive_life: trans.__(
      'How long interactive sessions run at most; 0 for no end.'
    ),
    train_life: trans.__('How long trainings run at most; 0 for no end.'),
    cpu_busy: trans.__('Per cent of one core up to which it counts as idle.'),
    gpu_busy: trans.__('Per cent of its GPUs up to which it counts as idle.')
  }[rule];
}
