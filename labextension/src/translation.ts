import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Return the user's language for `Intl`, as JupyterLab sets it; undefined for the browser's. */
export function language(): string | undefined {
  return document.documentElement.lang || undefined;
}

/** Return our texts in the user's language; they have a domain of their own. */
export function ours(translator: ITranslator | null): TranslationBundle {
  return (translator ?? nullTranslator).load('jupyter_gpuquota');
}
