import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Session } from '../../api/models';
import { Badge, Simulated } from './controls';
import { memory } from './texts';

/** The marks of a share that is exceeded or simulated. */
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
            'Uses %1 of GPU memory, more than its share',
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
