import { HTMLSelect } from '@jupyterlab/ui-components';
import { IStateDB } from '@jupyterlab/statedb';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import React, { useEffect, useId, useRef } from 'react';
import { ProjectUse, Quota } from '../../api/models';
import { CommandIDs } from '../../commands';
import { isUndivided, usersOf } from '../../state/quota';
import { Gauges, useGpus } from '../gpus/gauges';
import { Warnings } from '../parts/controls';
import { Loaded } from '../parts/loaded';
import { Meter } from '../parts/meter';
import { freeText, gpus, gpusText } from '../parts/texts';
import { IUi, LiveWidget, useResult, useUi } from '../parts/ui';
import { useProject } from './teamchoice';
import { Departments } from './teamdepartments';
import { machineText, Queued, Storage } from './teamfolds';

/** Make the panel's section on quota. */
export function create(ui: IUi, state: IStateDB | null): Widget {
  const { quota, sessions } = ui.workspace;
  const gpus = ui.workspace.resource('gpus');
  const fit = () => widget.parent?.fit();
  const onHeight = (height: number) => {
    widget.node.style.setProperty('--jp-gpuquota-content', `${height}px`);
    fit();
  };
  // How low the section may be depends on the window, and splits do not look by themselves.
  window.addEventListener('resize', fit);
  const view = <TeamView state={state} onHeight={onHeight} />;
  const widget: LiveWidget = new LiveWidget(ui, view, [quota, sessions, gpus]);
  widget.addClass('jp-GpuQuota-teamSection');
  const onQuota = () => {
    const { result } = quota;
    widget.title.label =
      result.status === 'ready' && isUndivided(result.value)
        ? ui.trans.__('GPUs')
        : ui.trans.__('Team');
  };
  onQuota();
  quota.changed.connect(onQuota);
  widget.disposed.connect(() => {
    quota.changed.disconnect(onQuota);
    window.removeEventListener('resize', fit);
  });
  return widget;
}

/** Show what a project is guaranteed, uses and requests. */
export function TeamView(props: {
  state: IStateDB | null;
  /** Called with the height of what is shown: the section needs no more. */
  onHeight?: (height: number) => void;
}): JSX.Element {
  const content = useRef<HTMLDivElement>(null);
  const { onHeight } = props;
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (content.current?.offsetHeight) {
        onHeight?.(content.current.offsetHeight);
      }
    });
    observer.observe(content.current as HTMLDivElement);
    return () => observer.disconnect();
  }, [onHeight]);
  return (
    <div ref={content} className="jp-GpuQuota-team">
      <Loaded resource={useUi().workspace.quota} isQuiet>
        {value => <Team quota={value} state={props.state} />}
      </Loaded>
    </div>
  );
}

function Team(props: { quota: Quota; state: IStateDB | null }): JSX.Element {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const me = about.status === 'ready' ? about.value.user : '';
  const [project, choose] = useProject(props.quota, props.state, me);
  return (
    <>
      {about.status === 'ready' ? (
        <Warnings warnings={about.value.warnings} />
      ) : null}
      {project ? (
        <>
          <ProjectPicker
            quota={props.quota}
            project={project}
            onChoose={choose}
          />
          <Use quota={props.quota} project={project} />
          <Departments quota={props.quota} project={project.name} />
          <Readings quota={props.quota} />
          <Users project={project} me={me} />
          <Queued key={project.name} project={project} />
          <Storage project={project.name} about={about} me={me} />
        </>
      ) : (
        <p>{trans.__('You are not a member of any project. Ask an admin.')}</p>
      )}
      {isUndivided(props.quota) && !props.quota.others ? null : (
        <p className="jp-GpuQuota-quiet">{machineText(props.quota, trans)}</p>
      )}
    </>
  );
}

function wholeText(
  { capacity }: Quota,
  isLocal: boolean,
  trans: TranslationBundle
): string {
  const all = gpusText(trans, capacity);
  return isLocal
    ? trans.__('This machine: %1', all)
    : trans.__('All GPUs: %1', all);
}

function ProjectPicker(props: {
  quota: Quota;
  project: ProjectUse;
  onChoose: (name: string) => void;
}): JSX.Element {
  const { commands, workspace, trans } = useUi();
  const { quota, project } = props;
  const about = useResult(workspace.about);
  const local = about.status === 'ready' && about.value.backend === 'local';
  const id = useId();
  return (
    <div className="jp-GpuQuota-teamHead">
      {isUndivided(quota) ? (
        <b>{wholeText(quota, local, trans)}</b>
      ) : (
        <>
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
        </>
      )}
      <div className="jp-GpuQuota-teamLinks">
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          title={trans.__('Open the GPU dashboard')}
          onClick={() => void commands.execute(CommandIDs.dashboard)}
        >
          {trans.__('Dashboard')}
        </button>
        {quota.admin && !isUndivided(quota) ? (
          <button
            type="button"
            className="jp-GpuQuota-linkButton"
            title={trans.__('Manage projects, policies and node groups')}
            onClick={() => void commands.execute(CommandIDs.projects)}
          >
            {trans.__('Projects')}
          </button>
        ) : null}
      </div>
    </div>
  );
}

function Use(props: { quota: Quota; project: ProjectUse }): JSX.Element {
  const { trans } = useUi();
  const { allocated, over, quota } = props.project;
  const isWhole = isUndivided(props.quota);
  const amounts = [gpus(allocated - over), gpus(quota)];
  const text = isWhole
    ? trans.__('%1 of %2 GPUs in use', ...amounts)
    : trans.__('%1 of %2 GPUs in quota', ...amounts);
  const borrowed = over ? trans.__('%1 borrowed', gpus(over)) : '';
  const whole = [text, borrowed].filter(Boolean).join(', ');
  return (
    <div>
      <Meter
        value={allocated}
        over={over}
        max={quota}
        label={
          isWhole
            ? trans.__('GPUs in use')
            : trans.__('GPUs used by %1', props.project.name)
        }
        text={whole}
      />
      <div>{whole}</div>
      {isWhole ? null : (
        <div className="jp-GpuQuota-quiet">
          {freeText(trans, props.project)}
        </div>
      )}
    </div>
  );
}

/** What is measured of the GPUs; of simulated ones nothing is. */
function Readings({ quota }: { quota: Quota }): JSX.Element {
  const { trans } = useUi();
  const gpus = useGpus(isUndivided(quota));
  return quota.simulated ? (
    <p className="jp-GpuQuota-quiet">
      {trans.__('These GPUs have no readings.')}
    </p>
  ) : (
    <Gauges gpus={gpus} />
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
          {trans.__('%1:', user === props.me ? trans.__('You') : user)}{' '}
          <b>{gpusText(trans, allocated)}</b>
        </li>
      ))}
    </ul>
  );
}
