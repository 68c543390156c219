import React from 'react';
import { Activity, Session, SessionPolicy } from '../../api/models';
import { isWarned } from '../../state/idle/idle';
import { IResource } from '../../state/resource';
import { ISessionIdleness } from '../../state/idle/sessionidleness';
import { can } from '../../state/sessions';
import { Badge, ErrorNotice, Notice, Pending } from '../parts/controls';
import { idleText, whoseText } from '../idle/texts';
import {
  quietText,
  ruleText,
  ruleValue,
  signalName,
  signalState
} from '../administration/policytexts';
import { clockText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** How long a session has been idle and what follows; a notice once its owner was warned. */
export function IdleLine(props: {
  session: Session;
  idleness: ISessionIdleness;
  now: number;
}): JSX.Element | null {
  const { session, now } = props;
  const { trans } = useUi();
  const seen = useResult(props.idleness.activity);
  const signals = (seen.status === 'ready' && seen.value?.signals) || [];
  const isGpu = session.idle?.rule === 'gpu_idle_timeout';
  const quiet = isGpu ? '' : quietText(trans, signals);
  const text = idleText(trans, session, now, quiet);
  if (!text) {
    return null;
  }
  const sentence = text[0].toUpperCase() + text.slice(1);
  return isWarned(session) ? (
    <Notice>
      <p>{sentence}</p>
    </Notice>
  ) : (
    <p className="jp-GpuQuota-quiet">{sentence}</p>
  );
}

/** Show by what a session's activity is seen, and which rules hold for it. */
export function IdleSections(props: {
  session: Session;
  idleness: ISessionIdleness;
}): JSX.Element | null {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const { activity, policy } = props.idleness;
  if (
    about.status !== 'ready' ||
    !about.value.capabilities.includes('policing') ||
    !can(props.session, 'activity')
  ) {
    return null;
  }
  return (
    <>
      {props.session.state === 'running' ? (
        <section>
          <h3>{trans.__('Activity')}</h3>
          <Read resource={activity}>
            {value => value && <Signals activity={value} />}
          </Read>
        </section>
      ) : null}
      <section>
        <h3>{trans.__('Policy')}</h3>
        <Read resource={policy}>
          {value =>
            value && <Rules policy={value} name={props.session.spec.name} />
          }
        </Read>
      </section>
    </>
  );
}

function Read<T>(props: {
  resource: IResource<T>;
  children: (value: T) => React.ReactNode;
}): JSX.Element {
  const { trans } = useUi();
  const { resource } = props;
  const result = useResult(resource);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (result.status === 'error') {
    return (
      <ErrorNotice
        trans={trans}
        error={result.error}
        onRetry={() => void resource.refresh()}
      />
    );
  }
  return <>{props.children(result.value)}</>;
}

function Signals({ activity }: { activity: Activity }): JSX.Element {
  const { trans } = useUi();
  if (!activity.looked || !activity.signals.length) {
    return <p className="jp-GpuQuota-quiet">{trans.__('Not checked yet.')}</p>;
  }
  return (
    <dl>
      {activity.signals.map(signal => (
        <React.Fragment key={signal.name}>
          <dt>{signalName(trans, signal.name)}</dt>
          <dd>
            {signalState(trans, signal)}
            {signal.detail ? (
              <span className="jp-GpuQuota-quiet"> · {signal.detail}</span>
            ) : null}
          </dd>
        </React.Fragment>
      ))}
    </dl>
  );
}

function Rules(props: { policy: SessionPolicy; name: string }): JSX.Element {
  const { trans } = useUi();
  const { exempt, rules } = props.policy;
  return (
    <>
      {exempt ? (
        <p>
          {trans.__(
            'Exempt until %1: %2',
            clockText(exempt.until),
            exempt.reason
          )}
        </p>
      ) : null}
      <dl className="jp-GpuQuota-rulesOf">
        {rules.map(decided => (
          <React.Fragment key={decided.rule}>
            <dt title={decided.rule}>{ruleText(trans, decided.rule)}</dt>
            <dd>
              {ruleValue(trans, decided)}
              <span className="jp-GpuQuota-quiet">
                {' '}
                · {whoseText(trans, decided.level, props.name)}
                {decided.note ? ` · ${decided.note} ` : ' '}
              </span>
              {decided.locked ? <Badge>{trans.__('locked')}</Badge> : null}
            </dd>
          </React.Fragment>
        ))}
      </dl>
    </>
  );
}
