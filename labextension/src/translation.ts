import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Return our texts in the user's language; they have a domain of their own. */
export function ours(translator: ITranslator | null): TranslationBundle {
  return (translator ?? nullTranslator).load('jupyter_gpuquota');
}
