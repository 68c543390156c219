import React, { useEffect } from 'react';
import { Advice, Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { stateIcon } from '../../icons';
import { endReason } from '../../state/idle/endings';
import { IResource } from '../../state/resource';
import {
  ISessionIdleness,
  SessionIdleness
} from '../../state/idle/sessionidleness';
import { isForOwnerOnly } from '../../state/sessions';
import { ErrorNotice, Pending, Simulated } from '../parts/controls';
import { IdleLine, Read } from './idle';
import { DetailLists } from './lists';
import { lifeText } from '../idle/texts';
import { reclaimText, shareText, stateText, statusText } from '../parts/texts';
import {
  IUi,
  LiveWidget,
  useMe,
  useNow,
  useResult,
  useUi,
  inMain
} from '../parts/ui';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { SessionAdvice } from '../../state/advice';

const ACTIONS = [
  CommandIDs.open,
  CommandIDs.logs,
  CommandIDs.copyUrl,
  CommandIDs.takeSnapshot,
  CommandIDs.keepAlive,
  CommandIDs.suspend,
  CommandIDs.resume,
  CommandIDs.changeShare,
  CommandIDs.launchAgain,
  CommandIDs.stop,
  CommandIDs.remove
];

/** Show all that is known of one session. */
export function DetailsView(props: {
  id: string;
  advice: IResource<Advice | null>;
  idleness: ISessionIdleness;
  onNamed: (name: string) => void;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.sessions);
  const session = workspace.session(props.id);
  const name = session?.spec.name;
  useEffect(() => {
    if (name) {
      props.onNamed(name);
    }
  }, [name]);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (result.status === 'error') {
    return (
      <ErrorNotice
        trans={trans}
        error={result.error}
        onRetry={() => void workspace.sessions.refresh()}
      />
    );
  }
  return session ? (
    <Details {...props} session={session} />
  ) : (
    <p className="jp-GpuQuota-quiet">
      {trans.__('This session has been deleted.')}
    </p>
  );
}

function Details(props: {
  session: Session;
  advice: IResource<Advice | null>;
  idleness: ISessionIdleness;
}): JSX.Element {
  const { session } = props;
  const { trans } = useUi();
  const now = useNow(15_000);
  const ends = lifeText(trans, session);
  const why = reclaimText(trans, session)
    ? session.reason?.message
    : endReason(session);
  const StateIcon = stateIcon(session.state);
  return (
    <article className="jp-GpuQuota-details">
      <header className={`jp-mod-${session.state}`}>
        <h2>
          <span
            className="jp-GpuQuota-state"
            role="img"
            aria-label={stateText(trans, session)}
          >
            <StateIcon.react tag="span" />
          </span>
          {session.spec.name}
          {session.placement?.simulated ? <Simulated trans={trans} /> : null}
        </h2>
        <p aria-live="polite">{statusText(trans, session, now)}</p>
        {ends ? <p>{ends[0].toUpperCase() + ends.slice(1)}</p> : null}
        <IdleLine {...props} now={now} />
        {why ? <p>{why}</p> : null}
        {session.reason?.hint ? (
          <p className="jp-GpuQuota-quiet">{session.reason.hint}</p>
        ) : null}
      </header>
      <ForOwnerOnly session={session} />
      <Actions session={session} />
      <DetailLists {...props} />
    </article>
  );
}

/** Why a session that runs has no button to open it. */
function ForOwnerOnly({ session }: { session: Session }): JSX.Element | null {
  const { trans } = useUi();
  return isForOwnerOnly(session, useMe()) ? (
    <p className="jp-GpuQuota-quiet">
      {trans.__('Only %1 can open it.', session.owner)}
    </p>
  ) : null;
}

function Actions({ session }: { session: Session }): JSX.Element {
  const { commands, trans } = useUi();
  const args = { id: session.id };
  return (
    <div
      className="jp-GpuQuota-buttons"
      role="group"
      aria-label={trans.__('Actions')}
    >
      {ACTIONS.filter(command => commands.isEnabled(command, args)).map(
        command => (
          <button
            key={command}
            type="button"
            className="jp-GpuQuota-button"
            title={commands.caption(command, args)}
            onClick={() => void commands.execute(command, args)}
          >
            {commands.label(command, args)}
          </button>
        )
      )}
    </div>
  );
}

/** Make the view of one session. */
export function makeDetailsWidget(ui: IUi, id: string): MainAreaWidget {
  const model = new SessionAdvice(ui.workspace, id);
  const idleness = new SessionIdleness(ui.workspace, id);
  const content = new LiveWidget(
    ui,
    <DetailsView
      id={id}
      advice={model.advice}
      idleness={idleness}
      onNamed={name => {
        widget.title.label = name;
      }}
    />,
    [
      ui.workspace.sessions,
      ui.workspace.resource('gpus'),
      ui.workspace.resource('utilisation'),
      model.advice,
      idleness.activity,
      idleness.policy
    ]
  );
  content.disposed.connect(() => {
    model.dispose();
    idleness.dispose();
  });
  content.addClass('jp-GpuQuota-detailsWidget');
  const widget: MainAreaWidget = inMain(content);
  return widget;
}

/** The recommended size of a session, with a button to relaunch it with that. */
export function RightSize(props: {
  session: Session;
  advice: IResource<Advice | null>;
}): JSX.Element {
  return (
    <Read resource={props.advice}>
      {value =>
        value && (
          <>
            {value.message}
            {value.share ? (
              <Relaunch id={props.session.id} share={value.share} />
            ) : null}
          </>
        )
      }
    </Read>
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
