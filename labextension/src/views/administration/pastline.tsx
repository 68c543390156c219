import React, { useEffect, useState } from 'react';
import { asApiError } from '../../api/errors';
import { Draft, ISubject } from '../../state/settings/settingmodel';
import { useUi } from '../parts/ui';

/** How long after the last key the server is asked, in milliseconds. */
const PAUSE = 400;

/** Show how many sessions the policy, as it is typed, would have ended over the last week. */
export function PastLine<Field extends string, Base>(props: {
  subject: ISubject<Field, Base>;
  base: Base;
  draft: Draft<Field>;
}): JSX.Element {
  const { base, draft, subject } = props;
  const { trans } = useUi();
  const [text, setText] = useState('');
  useEffect(() => {
    let isCurrent = true;
    const show = (said: string) => isCurrent && setText(said);
    const ask = async () => {
      try {
        const change = subject.read(draft, base);
        show((await subject.preview(change)).message);
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
  }, [base, draft, subject]);
  return (
    <p role="status" aria-label={trans.__('Effect of this change')}>
      {text}
    </p>
  );
}
