import { HTMLSelect } from '@jupyterlab/ui-components';
import { IStateDB } from '@jupyterlab/statedb';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useId, useState } from 'react';
import { About, ProjectUse, Quota, Session } from '../api/models';
import { CommandIDs } from '../commands';
import { projectOf, usersOf } from '../state/quota';
import { Result } from '../state/resource';
import { Notice, Simulated } from './common';
import { Loaded } from './loaded';
import { Meter } from './meter';
import { gpus } from './texts';
import { useResult, useUi } from './ui';

const CHOICE = 'jupyter-gpuquota:project';

/** Show what a project has, holds and waits for. */
export function TeamView(props: { state: IStateDB | null }): JSX.Element {
  return (
    <div className="jp-GpuQuota-team">
      <Loaded resource={useUi().quota.quota}>
        {value => <Team quota={value} state={props.state} />}
      </Loaded>
    </div>
  );
}

function Team(props: { quota: Quota; state: IStateDB | null }): JSX.Element {
  const { quota, trans } = useUi();
  const about = useResult(quota.about);
  const [chosen, choose] = useChoice(props.state);
  const project = projectOf(props.quota, chosen);
  const me = about.status === 'ready' ? about.value.user : '';
  return (
    <>
      <Warnings about={about} />
      {project ? (
        <>
          <ProjectPicker
            quota={props.quota}
            project={project}
            onChoose={choose}
          />
          <Use project={project} />
          <Users project={project} me={me} />
          <Waiting key={project.name} project={project} />
        </>
      ) : (
        <p>{trans.__('You are in no project: ask an admin.')}</p>
      )}
      <p className="jp-GpuQuota-quiet">{machineText(props.quota, trans)}</p>
    </>
  );
}

function machineText(quota: Quota, trans: TranslationBundle): string {
  if (!quota.capacity) {
    return trans.__('There are no GPUs: sessions run on CPUs.');
  }
  const used = trans.__(
    'All projects: %1 of %2 GPUs in use',
    gpus(quota.allocated),
    gpus(quota.capacity)
  );
  return quota.others
    ? trans.__('%1, %2 by other workloads', used, gpus(quota.others))
    : used;
}

/** Remember which project is looked at. */
function useChoice(state: IStateDB | null): [string, (name: string) => void] {
  const [chosen, setChosen] = useState('');
  useEffect(() => {
    let isGone = false;
    void state?.fetch(CHOICE).then(stored => {
      if (!isGone && typeof stored === 'string') {
        setChosen(stored);
      }
    });
    return () => {
      isGone = true;
    };
  }, [state]);
  return [
    chosen,
    name => {
      setChosen(name);
      void state?.save(CHOICE, name);
    }
  ];
}

function Warnings(props: { about: Result<About> }): JSX.Element | null {
  const { about } = props;
  if (about.status !== 'ready') {
    return null;
  }
  return (
    <>
      {about.value.warnings.map(warning => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </>
  );
}

function ProjectPicker(props: {
  quota: Quota;
  project: ProjectUse;
  onChoose: (name: string) => void;
}): JSX.Element {
  const { commands, trans } = useUi();
  const { quota, project } = props;
  const id = useId();
  return (
    <div className="jp-GpuQuota-teamHead">
      <label htmlFor={id} className="jp-GpuQuota-unseen">
        {trans.__('Project')}
      </label>
      <HTMLSelect
        id={id}
        value={project.name}
        onChange={event => props.onChoose(event.target.value)}
      >
        {quota.projects.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </HTMLSelect>
      {quota.simulated ? <Simulated trans={trans} /> : null}
      <button
        type="button"
        className="jp-GpuQuota-linkButton"
        title={trans.__('Open the team dashboard')}
        onClick={() => void commands.execute(CommandIDs.dashboard)}
      >
        {trans.__('Dashboard')}
      </button>
      {quota.admin ? (
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          title={trans.__('Change projects, rules and node groups')}
          onClick={() => void commands.execute(CommandIDs.projects)}
        >
          {trans.__('Projects')}
        </button>
      ) : null}
    </div>
  );
}

function Use(props: { project: ProjectUse }): JSX.Element {
  const { trans } = useUi();
  const { allocated, over, quota } = props.project;
  const text = trans.__(
    '%1 of %2 GPUs by right',
    gpus(allocated - over),
    gpus(quota)
  );
  const borrowed = over ? trans.__('%1 borrowed', gpus(over)) : '';
  const whole = [text, borrowed].filter(Boolean).join(', ');
  return (
    <div>
      <Meter
        value={allocated}
        over={over}
        max={quota}
        label={trans.__('GPUs that %1 holds', props.project.name)}
        text={whole}
      />
      <div>{whole}</div>
    </div>
  );
}

function Users(props: { project: ProjectUse; me: string }): JSX.Element | null {
  const { trans } = useUi();
  const users = usersOf(props.project, props.me).filter(use => use.allocated);
  if (!users.length) {
    return null;
  }
  return (
    <ul
      className="jp-GpuQuota-users"
      aria-label={trans.__('GPUs in use, by person')}
    >
      {users.map(({ user, allocated }) => (
        <li
          key={user}
          className={user === props.me ? 'jp-mod-me' : ''}
          title={user}
        >
          {user === props.me ? trans.__('me') : user} <b>{gpus(allocated)}</b>
        </li>
      ))}
    </ul>
  );
}

function Waiting(props: { project: ProjectUse }): JSX.Element | null {
  const { quota, trans } = useUi();
  const sessions = useResult(quota.sessions);
  const { name, waiting } = props.project;
  if (!waiting) {
    return null;
  }
  const queued =
    sessions.status === 'ready'
      ? sessions.value.items.filter(
          ({ spec, state }) => spec.project === name && state === 'waiting'
        )
      : [];
  return (
    <details className="jp-GpuQuota-disclosure">
      <summary>
        {trans._n('%1 session waits: why?', '%1 sessions wait: why?', waiting)}
      </summary>
      <ul>
        {queued.slice(0, 20).map(session => (
          <WaitingLine key={session.id} session={session} />
        ))}
      </ul>
    </details>
  );
}

function WaitingLine(props: { session: Session }): JSX.Element {
  const { trans } = useUi();
  const { reason, spec } = props.session;
  return (
    <li>
      <b>{spec.name}</b> {reason?.message ?? trans.__('It is looked at next.')}
      {reason?.hint ? (
        <span className="jp-GpuQuota-quiet"> {reason.hint}</span>
      ) : null}
    </li>
  );
}
