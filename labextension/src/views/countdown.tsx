import React from 'react';
import { Session } from '../api/models';
import { warningIcon } from '../icons';
import { countdownText } from './idletexts';
import { useNow, useUi } from './ui';

/** Count down to the end of a session that was warned; draws nothing but itself anew. */
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
