import { TranslationBundle } from '@jupyterlab/translation';
import { GpuUse, Session } from '../../api/models';
import { IGpuSum, IGpuUser, mean } from '../../state/gpus/readings';
import { memory, spanText } from '../parts/texts';
import { language } from '../../translation';

/** Return a share of all in per cent. */
export function percentText(trans: TranslationBundle, percent: number): string {
  return trans.__('%1 %', percent.toLocaleString(language()));
}

/** Return how much memory is in use: `31 of 40 GiB`. */
export function memoryText(
  trans: TranslationBundle,
  used: number,
  all: number
): string {
  const whole = memory(all);
  const [amount, unit] = memory(used).split(' ');
  const same = whole.endsWith(` ${unit}`);
  return all
    ? trans.__('%1 of %2', same ? amount : memory(used), whole)
    : memory(used);
}

/** Return a temperature. */
export function degreesText(trans: TranslationBundle, degrees: number): string {
  return trans.__('%1 °C', degrees);
}

/** Return the measurements of GPUs in words: `87 %, 31 of 40 GiB, 64 °C`. */
export function sumText(trans: TranslationBundle, sum: IGpuSum): string {
  const { utilisation, used, temperature } = sum;
  return [
    utilisation === null ? '' : percentText(trans, utilisation),
    used === null ? '' : memoryText(trans, used, sum.memory),
    temperature === null ? '' : degreesText(trans, temperature)
  ]
    .filter(Boolean)
    .join(', ');
}

/** Return what a GPU is called; `isAlone` where there is only one node. */
export function gpuName(
  trans: TranslationBundle,
  { node, name }: GpuUse,
  isAlone: boolean
): string {
  return isAlone
    ? trans.__('GPU %1', name)
    : trans.__('%1, GPU %2', node, name);
}

/** Return who uses a GPU, and how much: `exp-1: 20 GiB`, `bob, outside sessions: 3 GiB`. */
export function userText(
  trans: TranslationBundle,
  user: IGpuUser,
  session: Session | undefined
): string {
  const names = user.names.join(', ');
  const outside = names
    ? trans.__('%1 (%2), outside sessions', names, user.owner)
    : trans.__('%1, outside sessions', user.owner);
  const who = user.session ? (session?.spec.name ?? names) : outside;
  const facts = [
    user.memory === null ? '' : memory(user.memory),
    user.count > (user.memory === null ? 0 : 1)
      ? trans._n('%1 process', '%1 processes', user.count)
      : ''
  ].filter(Boolean);
  return facts.length ? trans.__('%1: %2', who, facts.join(', ')) : who;
}

/** Return a session's last values in words; `interval` in seconds between two. */
export function historyText(
  trans: TranslationBundle,
  percents: readonly number[],
  interval: number
): string {
  return trans.__(
    'GPU utilisation: now %1 %, mean %2 %, peak %3 % in the last %4',
    percents[percents.length - 1],
    mean(percents),
    Math.max(...percents),
    spanText(trans, percents.length * interval * 1000)
  );
}
