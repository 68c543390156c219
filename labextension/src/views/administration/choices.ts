import { TranslationBundle } from '@jupyterlab/translation';

/** So many names are said; a cluster may have hundreds of nodes. */
const NAMED = 12;

/** Return the names to choose from in a sentence; empty if there are none. */
export function choicesText(
  names: readonly string[],
  trans: TranslationBundle
): string {
  const named = names.slice(0, NAMED).join(', ');
  const rest = names.length - NAMED;
  if (!named) {
    return '';
  }
  return rest > 0
    ? trans.__('Available: %1 and %2 more.', named, rest)
    : trans.__('Available: %1.', named);
}
