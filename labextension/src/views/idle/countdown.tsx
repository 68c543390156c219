import React from 'react';
import { Session } from '../../api/models';
import { warningIcon } from '../../icons';
import { countdownText } from './texts';
import { useNow, useUi } from '../parts/ui';

/** Count down to the end of a session that was warned; redraws nothing but itself. */
export function Countdown(props: {
  session: Session;
  name?: string;
}): JSX.Element {
  const { name, session } = props;
  const { trans } = useUi();
  const text = countdownText(trans, session, useNow(1000));
  return (
    <span className="jp-GpuQuota-countdown">
      <warningIcon.react tag="span" aria-hidden="true" />
      {name ? trans.__('%1 %2', name, text) : text}
    </span>
  );
}
