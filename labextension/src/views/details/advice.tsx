import React from 'react';
import { Advice, Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { IResource } from '../../state/resource';
import { ErrorNotice, Pending } from '../parts/controls';
import { shareText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** The recommended size of a session, with a button to relaunch it with that. */
export function RightSize(props: {
  session: Session;
  advice: IResource<Advice | null>;
}): JSX.Element | null {
  const { trans } = useUi();
  const { advice, session } = props;
  const result = useResult(advice);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (result.status === 'error') {
    return (
      <ErrorNotice
        trans={trans}
        error={result.error}
        onRetry={() => void advice.refresh()}
      />
    );
  }
  if (!result.value) {
    return null;
  }
  const { message, share } = result.value;
  return (
    <>
      {message}
      {share ? <Relaunch id={session.id} share={share} /> : null}
    </>
  );
}

function Relaunch(props: {
  id: string;
  share: NonNullable<Advice['share']>;
}): JSX.Element | null {
  const { commands, trans } = useUi();
  const args = { id: props.id };
  return commands.isEnabled(CommandIDs.relaunch, args) ? (
    <div>
      <button
        type="button"
        className="jp-GpuQuota-button"
        title={commands.caption(CommandIDs.relaunch, args)}
        onClick={() => void commands.execute(CommandIDs.relaunch, args)}
      >
        {trans.__('Relaunch with %1', shareText(trans, props.share))}
      </button>
    </div>
  ) : null;
}
