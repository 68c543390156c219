import React from 'react';
import {
  Activity,
  DecidedRule,
  Kind,
  Session,
  SessionPolicy
} from '../../api/models';
import { isWarned } from '../../state/idle/idle';
import { IResource } from '../../state/resource';
import { ISessionIdleness } from '../../state/idle/sessionidleness';
import { can } from '../../state/sessions';
import { ErrorNotice, Notice, Pending } from '../parts/controls';
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

/** The level of rules that nobody has set. */
const BUILT_IN = 'built-in';
/** How a rule that ends nothing is written. */
const UNSET = ['never', 'none'];
/** Rules by which sessions of any kind end. */
const ENDING: readonly string[] = ['idle_timeout', 'gpu_idle_timeout'];

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
          {value => value && <Rules policy={value} session={props.session} />}
        </Read>
      </section>
    </>
  );
}

/** Show what a resource says once it is read, or why it cannot be. */
export function Read<T>(props: {
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

function Rules(props: {
  policy: SessionPolicy;
  session: Session;
}): JSX.Element {
  const { trans } = useUi();
  const { kind, name } = props.session.spec;
  const { exempt, rules } = props.policy;
  const shown = rules.filter(
    rule => ends(rule, kind) || rule.level !== BUILT_IN
  );
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
      {rules.some(rule => ends(rule, kind)) ? null : (
        <p>{trans.__('No idle timeout or maximum run time applies.')}</p>
      )}
      <RuleList rules={shown} name={name} />
      {shown.length < rules.length ? (
        <details className="jp-GpuQuota-disclosure">
          <summary>{trans.__('All rules')}</summary>
          <RuleList rules={rules} name={name} />
        </details>
      ) : null}
    </>
  );
}

/** Return whether a rule ends a session of a kind by itself. */
function ends({ rule, value }: DecidedRule, kind: Kind): boolean {
  const life = kind === 'train' ? 'train_life' : 'interactive_life';
  return [...ENDING, life].includes(rule) && !UNSET.includes(value);
}

/** Rules, each with its value and with who set it. */
function RuleList(props: {
  rules: readonly DecidedRule[];
  name: string;
}): JSX.Element | null {
  const { trans } = useUi();
  return props.rules.length ? (
    <dl className="jp-GpuQuota-rulesOf">
      {props.rules.map(decided => (
        <React.Fragment key={decided.rule}>
          <dt title={decided.rule}>{ruleText(trans, decided.rule)}</dt>
          <dd>
            {ruleValue(trans, decided)}
            <span className="jp-GpuQuota-quiet">
              {' '}
              · {whoseText(trans, decided.level, props.name)}
              {decided.note ? ` · ${decided.note}` : ''}
            </span>
          </dd>
        </React.Fragment>
      ))}
    </dl>
  ) : null;
}
