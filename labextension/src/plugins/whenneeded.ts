import { TranslationBundle } from '@jupyterlab/translation';
import { report } from '../views/parts/report';

/**
 * Return how to use what is loaded when it is first needed; what fails to load or to be used is
 * reported, and loaded again the next time.
 */
export function whenNeeded<T>(
  trans: TranslationBundle,
  load: () => Promise<T>
): (use: (loaded: T) => void) => void {
  let loaded: Promise<T> | undefined;
  return use => {
    loaded ??= load();
    loaded.then(use).catch(error => {
      loaded = undefined;
      report(trans, error);
    });
  };
}
