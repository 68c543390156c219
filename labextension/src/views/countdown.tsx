import React from 'react';
import { Session } from '../api/models';
import { warningIcon } from '../icons';
import { countdownText } from './idletexts';
import { useNow, useUi } from './ui';

/** Count down to the end of a session that was warned; draws nothing but itself anew. */
export function Countdown({ session }: { session: Session }): JSX.Element {
  const { trans } = useUi();
  const now = useNow(1000);
  return (
    <span className="jp-GpuQuota-countdown">
      <warningIcon.react tag="span" aria-hidden="true" />
      {countdownText(trans, session, now)}
    </span>
  );
}
