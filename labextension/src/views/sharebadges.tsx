import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Session } from '../api/models';
import { Badge, Simulated } from './common';
import { memory } from './texts';

/** Say of a share that more of it is used than was given, and that it is simulated. */
export function ShareBadges(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element {
  const { session, trans } = props;
  const { placement, usage } = session;
  return (
    <>
      {usage?.over ? (
        <Badge
          kind="warning"
          title={trans.__(
            'It uses %1 of GPU memory, more than its share',
            memory(usage.memory ?? 0)
          )}
        >
          {trans.__('over its share')}
        </Badge>
      ) : null}
      {placement?.simulated ? <Simulated trans={trans} /> : null}
    </>
  );
}
