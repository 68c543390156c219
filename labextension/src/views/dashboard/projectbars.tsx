import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId } from 'react';
import { ProjectUse, UserUse } from '../../api/models';
import { Cell } from '../../state/csv';
import { barOf, scaleOf, seriesOf } from '../../state/dashboard';
import { usersOf } from '../../state/quota';
import { CsvButton } from '../parts/download';
import { gpus, gpusText } from '../parts/texts';
import { useUi } from '../parts/ui';

/** So many people are named at once. */
const FEW = 8;

/** What each project uses in quota, borrows and requests, all to one scale. */
export function ProjectBars(props: {
  projects: readonly ProjectUse[];
  me: string;
}): JSX.Element {
  const { trans } = useUi();
  const { projects, me } = props;
  const heading = useId();
  const scale = scaleOf(projects);
  const title = trans.__('Projects');
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>
          {title} <span className="jp-GpuQuota-quiet">{projects.length}</span>
        </h3>
        <Legend />
        <CsvButton
          title={title}
          text={trans.__('Projects CSV')}
          file="gpu-projects"
          header={projectHeader(trans)}
          rows={() => projects.map(projectCells)}
        />
        <CsvButton
          title={trans.__('People in projects')}
          text={trans.__('People CSV')}
          file="gpu-people"
          header={[trans.__('Project'), ...userHeader(trans)]}
          rows={() =>
            projects.flatMap(project =>
              project.users.map(({ user, allocated, waiting }) => [
                project.name,
                user,
                allocated / 1000,
                waiting
              ])
            )
          }
        />
      </header>
      {projects.length ? (
        <ul className="jp-GpuQuota-projects">
          {projects.map(project => (
            <Project
              key={project.name}
              project={project}
              series={seriesOf(
                projects.map(({ name }) => name),
                project.name
              )}
              scale={scale}
              me={me}
            />
          ))}
        </ul>
      ) : (
        <p className="jp-GpuQuota-quiet">{trans.__('No projects.')}</p>
      )}
    </section>
  );
}

/** Show what the bar's parts look like; a reader hears each bar in words instead. */
function Legend(): JSX.Element {
  const { trans } = useUi();
  const kinds = [
    ['right', trans.__('in quota')],
    ['borrowed', trans.__('borrowed')],
    ['waiting', trans.__('requested')],
    ['quota', trans.__('quota')],
    ['fair', trans.__('fair share'), fairText(trans)]
  ];
  return (
    <div className="jp-GpuQuota-legend" aria-hidden="true">
      {kinds.map(([kind, text, title]) => (
        <span key={kind} title={title}>
          <i className={`jp-mod-${kind}`} /> {text}
        </span>
      ))}
    </div>
  );
}

function fairText(trans: TranslationBundle): string {
  return trans.__('Fair share is capped by demand.');
}

function Project(props: {
  project: ProjectUse;
  series: number;
  scale: number;
  me: string;
}): JSX.Element {
  const { project, scale } = props;
  const { trans } = useUi();
  const words = projectWords(project, trans);
  const bar = barOf(project);
  const percent = (milli: number) => `${(100 * milli) / scale}%`;
  return (
    <li>
      <div className="jp-GpuQuota-projectName">{project.name}</div>
      <div
        className="jp-GpuQuota-bar"
        data-series={props.series}
        role="img"
        aria-label={`${project.name}: ${words}`}
      >
        {(['right', 'borrowed', 'waiting'] as const).map(kind => (
          <i
            key={kind}
            className={`jp-mod-${kind}`}
            style={{ width: percent(bar[kind]) }}
          />
        ))}
        <i className="jp-mod-quota" style={{ left: percent(project.quota) }} />
        <i
          className="jp-mod-fair"
          title={fairText(trans)}
          style={{ left: percent(project.fair) }}
        />
      </div>
      <div className="jp-GpuQuota-quiet" aria-hidden="true">
        {words}
      </div>
      <People project={project} me={props.me} />
    </li>
  );
}

/** Return what a project uses in quota, borrows, requests and is limited to. */
export function projectWords(
  project: ProjectUse,
  trans: TranslationBundle
): string {
  const { right, borrowed, waiting } = barOf(project);
  return [
    trans.__('%1 of %2 GPUs in quota', gpus(right), gpus(project.quota)),
    borrowed ? trans.__('%1 borrowed', gpus(borrowed)) : '',
    waiting ? trans.__('%1 requested', gpus(waiting)) : '',
    project.requested
      ? trans.__('fair share %1', gpus(project.fair))
      : trans.__('fair share 0 (no demand)'),
    project.limit === null ? '' : trans.__('limit %1', gpus(project.limit))
  ]
    .filter(Boolean)
    .join(', ');
}

/** Show who of a project holds and waits for what; everybody's numbers where there are many. */
function People(props: {
  project: ProjectUse;
  me: string;
}): JSX.Element | null {
  const { trans } = useUi();
  const { project, me } = props;
  const users = usersOf(project, me);
  if (!users.length) {
    return null;
  }
  return users.length <= FEW ? (
    <ul
      className="jp-GpuQuota-users"
      aria-label={trans.__('People in %1', project.name)}
    >
      {users.map(use => (
        <li key={use.user}>{personText(trans, use, me)}</li>
      ))}
    </ul>
  ) : (
    <details className="jp-GpuQuota-disclosure">
      <summary aria-label={trans.__('People in %1', project.name)}>
        {trans._n('%1 person', '%1 people', users.length)}
      </summary>
      <table className="jp-GpuQuota-table">
        <thead>
          <tr>
            {userHeader(trans).map(text => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {users.map(({ user, allocated, waiting }) => (
            <tr key={user}>
              <th scope="row">
                {user === me ? trans.__('%1 (you)', user) : user}
              </th>
              <td>{gpus(allocated)}</td>
              <td>{waiting}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Return what a person holds and has queued: `ana (you): 2 GPUs, 1 queued`. */
function personText(
  trans: TranslationBundle,
  { user, allocated, waiting }: UserUse,
  me: string
): string {
  const amounts = [
    allocated || !waiting ? gpusText(trans, allocated) : '',
    waiting ? trans.__('%1 queued', waiting) : ''
  ];
  return trans.__(
    '%1: %2',
    user === me ? trans.__('%1 (you)', user) : user,
    amounts.filter(Boolean).join(', ')
  );
}

function userHeader(trans: TranslationBundle): string[] {
  return [trans.__('User'), trans.__('GPUs'), trans.__('Queued sessions')];
}

function projectHeader(trans: TranslationBundle): string[] {
  return [
    trans.__('Project'),
    trans.__('GPUs in quota'),
    trans.__('GPUs borrowed'),
    trans.__('GPUs requested'),
    trans.__('Quota'),
    trans.__('Fair share'),
    trans.__('Limit'),
    trans.__('Running sessions'),
    trans.__('Queued sessions')
  ];
}

function projectCells(project: ProjectUse): Cell[] {
  const { right, borrowed, waiting } = barOf(project);
  const { quota, fair, limit } = project;
  return [
    project.name,
    ...[right, borrowed, waiting, quota, fair].map(milli => milli / 1000),
    limit === null ? null : limit / 1000,
    project.running,
    project.waiting
  ];
}
