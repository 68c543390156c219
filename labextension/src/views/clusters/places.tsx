import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Fallback } from '../../api/models';
import { clockText, shareText } from '../parts/texts';
import { useUi } from '../parts/ui';
import { placeName } from './texts';

/** The clusters that a session was launched with, and in which of them it is. */
export default function Places(props: { fallback: Fallback }): JSX.Element {
  const { fallback } = props;
  const { trans } = useUi();
  return (
    <section>
      <h3>{trans.__('Clusters')}</h3>
      <ol>
        {fallback.places.map((place, index) => (
          <li
            key={index}
            aria-current={index === fallback.current ? 'step' : undefined}
          >
            {placeName(trans, place)}
            {' · '}
            {shareText(trans, place.share)}
            {': '}
            {progressText(trans, fallback, index)}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Return how far a session is with one of its clusters. */
function progressText(
  trans: TranslationBundle,
  { current, moving, next, places, since, until }: Fallback,
  index: number
): string {
  const { refused } = places[index];
  if (refused) {
    return trans.__('refused: %1', refused);
  }
  if (index !== current) {
    return index === next
      ? trans.__('next')
      : index < current
        ? trans.__('tried')
        : trans.__('not tried');
  }
  if (moving) {
    return trans.__('being launched here');
  }
  return until
    ? trans.__('waits here until %1', clockText(until))
    : trans.__('here since %1', clockText(since));
}
