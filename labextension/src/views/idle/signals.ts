import { TranslationBundle } from '@jupyterlab/translation';
import { SignalName } from '../../api/models';
import { Table, textOf } from '../../api/vocabulary';

/** Return the activity of signals: `kernel, terminal or GPU activity`. */
export function signalsText(
  trans: TranslationBundle,
  names: readonly SignalName[]
): string {
  const nouns: Table<SignalName, string> = {
    kernels: trans.__('kernel'),
    terminals: trans.__('terminal'),
    presence: trans.__('user'),
    cpu: trans.__('CPU'),
    io: trans.__('I/O'),
    gpu: trans.__('GPU'),
    process: trans.__('process')
  };
  const words = names.map(name => textOf(nouns, name));
  const last = words.pop() ?? '';
  return words.length
    ? trans.__('%1 or %2 activity', words.join(', '), last)
    : trans.__('%1 activity', last).trim();
}
