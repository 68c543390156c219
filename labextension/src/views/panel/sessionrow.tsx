import { TranslationBundle } from '@jupyterlab/translation';
import { runIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { moreIcon, openIcon, stateIcon } from '../../icons';
import { isRuled, isWarned, wasIdle } from '../../state/idle/idle';
import { isUndivided } from '../../state/quota';
import { can } from '../../state/sessions';
import { SessionUse, useUtilisation } from '../gpus/sessionuse';
import { historyText } from '../gpus/texts';
import { Badge, IconButton, OverShare } from '../parts/controls';
import { Countdown } from '../idle/countdown';
import { rowLine, rowText } from '../idle/texts';
import {
  isolationDetail,
  isolationText,
  shareLine,
  shareText,
  stateText
} from '../parts/texts';
import { IPoint, pointOf } from '../parts/menu';
import { useResult, useUi } from '../parts/ui';
import { IRowProps } from '../parts/virtuallist';

/** Return whether a session is paused and can be resumed. */
function isPaused(session: Session): boolean {
  return (
    can(session, 'resume') &&
    (session.state === 'suspended' || wasIdle(session))
  );
}

/** Show one session in three lines: its name, its share, and how it is. */
export const SessionRow = React.memo(function SessionRow(
  props: IRowProps & {
    session: Session;
    me: string;
    now: number;
    onMenu: (session: Session, at: IPoint, from: HTMLElement) => void;
  }
): JSX.Element {
  const { session, active, me } = props;
  const { workspace, trans } = useUi();
  const { spec } = session;
  const here = session.id === workspace.here ? trans.__('this session') : '';
  const status = rowText(trans, session, props.now);
  const isIdle = wasIdle(session) || isRuled(session);
  const quota = useResult(workspace.quota);
  const use = useUtilisation(session);
  const whose =
    session.owner !== me
      ? trans.__('%1 (%2)', spec.project, session.owner)
      : quota.status === 'ready' && isUndivided(quota.value)
        ? ''
        : spec.project;
  const StateIcon = stateIcon(session.state);
  return (
    <div
      role="row"
      aria-rowindex={props.index + 1}
      aria-label={[
        spec.name,
        here,
        shareText(trans, spec.share),
        status,
        use && historyText(trans, use.percents, use.interval)
      ]
        .filter(Boolean)
        .join(', ')}
      className={`jp-GpuQuota-row jp-mod-${session.state}`}
      data-row={session.id}
      style={{ top: props.top, height: props.height }}
      tabIndex={active ? 0 : -1}
      onContextMenu={event => {
        event.preventDefault();
        event.stopPropagation();
        props.onMenu(session, pointOf(event), event.currentTarget);
      }}
    >
      <div role="gridcell" className="jp-GpuQuota-rowText">
        <div className="jp-GpuQuota-rowTitle">
          <span
            className="jp-GpuQuota-state"
            role="img"
            aria-label={stateText(trans, session)}
            title={stateText(trans, session)}
          >
            <StateIcon.react tag="span" />
          </span>
          <span className="jp-GpuQuota-name" title={spec.name}>
            {spec.name}
          </span>
          {here ? <Badge kind="here">{here}</Badge> : null}
          <span className="jp-GpuQuota-whose" title={whose}>
            {whose}
          </span>
        </div>
        <div className="jp-GpuQuota-rowLine">
          <ShareLine session={session} trans={trans} />
          {use ? <SessionUse use={use} /> : null}
        </div>
        <div className={`jp-GpuQuota-rowLine${isIdle ? ' jp-mod-idle' : ''}`}>
          <span
            className={`jp-GpuQuota-status${isWarned(session) ? ' jp-mod-warned' : ''}`}
            title={[status, session.reason?.hint].filter(Boolean).join('\n')}
          >
            {isWarned(session) ? (
              <Countdown session={session} />
            ) : (
              rowLine(trans, session, props.now)
            )}
          </span>
          <IsolationBadge session={session} trans={trans} />
        </div>
      </div>
      <div role="gridcell" className="jp-GpuQuota-rowActions">
        <RowActions {...props} />
      </div>
    </div>
  );
});

function ShareLine(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element {
  const { session, trans } = props;
  return (
    <>
      <span className="jp-GpuQuota-share">{shareLine(trans, session)}</span>
      <OverShare session={session} trans={trans} />
    </>
  );
}

/**
 * It stands where a session that runs has room left: one without a place has none to show.
 *
 * On a simulated GPU nothing is enforced, which its mark says once for the whole panel.
 */
function IsolationBadge(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { isolation, placement } = props.session;
  return isolation && !placement?.simulated ? (
    <Badge title={isolationDetail(props.trans, isolation).join('\n')}>
      {isolationText(props.trans, isolation)}
    </Badge>
  ) : null;
}

function RowActions(
  props: IRowProps & {
    session: Session;
    onMenu: (session: Session, at: IPoint, from: HTMLElement) => void;
  }
): JSX.Element {
  const { session, active, onMenu } = props;
  const { trans, commands } = useUi();
  const tabIndex = active ? 0 : -1;
  return (
    <>
      {can(session, 'open') ? (
        <IconButton
          icon={openIcon}
          label={trans.__('Open %1 in a new browser tab', session.spec.name)}
          tabIndex={tabIndex}
          onClick={() =>
            void commands.execute(CommandIDs.open, { id: session.id })
          }
        />
      ) : null}
      {isPaused(session) ? (
        <IconButton
          icon={runIcon}
          label={trans.__('Resume %1', session.spec.name)}
          tabIndex={tabIndex}
          onClick={() =>
            void commands.execute(CommandIDs.resume, { id: session.id })
          }
        />
      ) : null}
      <IconButton
        icon={moreIcon}
        label={trans.__('More actions on %1', session.spec.name)}
        aria-haspopup="menu"
        tabIndex={tabIndex}
        onClick={event => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          onMenu(session, { x: left, y: bottom }, event.currentTarget);
        }}
      />
    </>
  );
}
