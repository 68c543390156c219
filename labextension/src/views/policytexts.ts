import { TranslationBundle } from '@jupyterlab/translation';
import { DecidedRule, Signal } from '../api/models';
import { clockText } from './texts';

/** Name what activity is seen by. */
export function signalName(
  trans: TranslationBundle,
  name: Signal['name']
): string {
  return {
    kernels: trans.__('Kernels'),
    terminals: trans.__('Terminals'),
    presence: trans.__('User'),
    cpu: trans.__('CPU'),
    gpu: trans.__('GPU'),
    process: trans.__('Process')
  }[name];
}

/** Say how one of the signals is. */
export function signalState(trans: TranslationBundle, signal: Signal): string {
  return {
    busy: trans.__('busy'),
    idle: trans.__('idle since %1', clockText(signal.last)),
    unknown: trans.__('cannot be told, counts as busy')
  }[signal.state];
}

/** Name what did nothing: `no kernel, terminal or GPU activity`. */
export function quietText(
  trans: TranslationBundle,
  signals: readonly Signal[]
): string {
  const nouns: Record<Signal['name'], string> = {
    kernels: trans.__('kernel'),
    terminals: trans.__('terminal'),
    presence: trans.__('user'),
    cpu: trans.__('CPU'),
    gpu: trans.__('GPU'),
    process: trans.__('process')
  };
  const idle = signals
    .filter(({ state }) => state === 'idle')
    .map(({ name }) => nouns[name]);
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

/** Name a rule of the policy. */
export function ruleText(
  trans: TranslationBundle,
  rule: DecidedRule['rule']
): string {
  return {
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
  }[rule];
}
