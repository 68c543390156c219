import { TranslationBundle } from '@jupyterlab/translation';
import { IGap } from '../../state/output/continued';
import { clockText } from '../parts/texts';

/** Return the notice that output of a document is missing, and of which time. */
export function gapText(
  trans: TranslationBundle,
  name: string,
  gaps: readonly IGap[]
): string {
  const times = gaps.flatMap(({ from, to }) => [from, to]);
  times.sort((a, b) => Date.parse(a) - Date.parse(b));
  const [from, to] = [times[0], times[times.length - 1]].map(clockText);
  return from === to
    ? trans.__('Output of %1 from %2 was not kept.', name, from)
    : trans.__('Output of %1 from %2 to %3 was not kept.', name, from, to);
}

/** Return the notice that a cell is not given the output of what it held before. */
export function outdatedText(
  trans: TranslationBundle,
  name: string,
  place: number,
  times: IGap | null
): string {
  if (!times) {
    return trans.__(
      'Cell %1 of %2 was changed after it ran, so the output of that run was not added.',
      place,
      name
    );
  }
  const [from, to] = [times.from, times.to].map(clockText);
  return from === to
    ? trans.__(
        'Cell %1 of %2 was changed after it ran, so its output from %3 was not added.',
        place,
        name,
        from
      )
    : trans.__(
        'Cell %1 of %2 was changed after it ran, so its output from %3 to %4 was not added.',
        place,
        name,
        from,
        to
      );
}
