import { TranslationBundle } from '@jupyterlab/translation';
import {
  DecidedRule,
  PolicyRules,
  RuleName,
  Signal,
  SignalName
} from '../../api/models';
import { textOf } from '../../api/vocabulary';
import { FormRule, Rule, ruleOf } from '../../state/settings/policydraft';
import { signalsText } from '../idle/signals';
import { clockText } from '../parts/texts';

/** Name what activity is seen by. */
export function signalName(trans: TranslationBundle, name: SignalName): string {
  const texts = {
    kernels: trans.__('Kernels'),
    terminals: trans.__('Terminals'),
    presence: trans.__('User'),
    cpu: trans.__('CPU'),
    io: trans.__('Disk and network'),
    gpu: trans.__('GPU'),
    process: trans.__('Process')
  };
  return textOf(texts, name);
}

/** Return the state of a signal in words. */
export function signalState(trans: TranslationBundle, signal: Signal): string {
  const texts = {
    busy: trans.__('busy'),
    idle: trans.__('idle since %1', clockText(signal.last)),
    unknown: trans.__('unknown (treated as busy)')
  };
  return textOf(texts, signal.state);
}

/** Name what did nothing: `no kernel, terminal or GPU activity`. */
export function quietText(
  trans: TranslationBundle,
  signals: readonly Signal[]
): string {
  const idle = signals.filter(({ state }) => state === 'idle');
  const names = idle.map(({ name }) => name);
  return names.length ? trans.__('no %1', signalsText(trans, names)) : '';
}

/** Write what a rule comes to. */
export function ruleValue(
  trans: TranslationBundle,
  { rule, value }: DecidedRule
): string {
  switch (rule) {
    case 'cpu_busy':
    case 'gpu_busy':
      return trans.__('%1 %', value);
    case 'io_busy':
      return trans.__('%1 B/s', value);
    default:
      return value;
  }
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
    idle_timeout_min: trans.__('Min. per-session timeout'),
    idle_timeout_max: trans.__('Max. per-session timeout'),
    gpu_idle_timeout: trans.__('GPU idle timeout'),
    gpu_idle_action: trans.__('Action when GPU idle'),
    warn_before: trans.__('Warn before'),
    action: trans.__('Action when idle'),
    grace: trans.__('Shutdown grace period'),
    interactive_life: trans.__('Max. run time (interactive)'),
    train_life: trans.__('Max. run time (training)'),
    keep_alive: trans.__('Extension length'),
    keep_alives: trans.__('Extensions allowed'),
    cpu_busy: trans.__('CPU idle threshold'),
    gpu_busy: trans.__('GPU idle threshold'),
    io_busy: trans.__('Disk and network idle threshold')
  };
  return textOf(texts, rule);
}

/** Return in one line how a rule is written and what it does. */
export function ruleHelp(trans: TranslationBundle, rule: FormRule): string {
  return {
    idle_timeout: trans.__(
      'Time without any activity, e.g. 30 min, 2 h; 0 = never.'
    ),
    action: trans.__('What happens after the idle timeout.'),
    warn_before: trans.__(
      'How long before the action the owner is notified; unless set, 10 min, or half of a shorter timeout.'
    )
  }[rule];
}
