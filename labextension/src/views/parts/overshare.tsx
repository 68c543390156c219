import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Session } from '../../api/models';
import { Badge } from './controls';
import { memory } from './texts';

/** The mark of a session that uses more GPU memory than its share. */
export function OverShare(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { trans } = props;
  const { usage } = props.session;
  return usage?.over ? (
    <Badge
      kind="warning"
      title={trans.__(
        'Uses %1 of GPU memory, more than its share',
        memory(usage.memory ?? 0)
      )}
    >
      {trans.__('over its share')}
    </Badge>
  ) : null;
}
