import React, { useEffect, useState } from 'react';
import { asApiError } from '../../api/errors';
import { PolicyRequest } from '../../api/models';
import { useUi } from '../parts/ui';

/** How long after the last key the server is asked, in milliseconds. */
const PAUSE = 400;

/** Show how many sessions a policy, as it is typed, would have ended over the last week. */
export function PastLine({ request }: { request: PolicyRequest }): JSX.Element {
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const [text, setText] = useState('');
  useEffect(() => {
    let isCurrent = true;
    const show = (said: string) => isCurrent && setText(said);
    const ask = async () => {
      try {
        show((await administration.previewPolicy(request)).text);
      } catch (thrown) {
        const { fields, message } = asApiError(thrown);
        // Fields that are wrong, or not typed to the end, are named when the form is applied.
        show(fields.length ? '' : message);
      }
    };
    const timer = setTimeout(() => void ask(), PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [administration, request]);
  return (
    <p role="status" aria-label={trans.__('Effect of this change')}>
      {text}
    </p>
  );
}
