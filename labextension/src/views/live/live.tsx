import React from 'react';
import { Device, NodeUse, SliceUse } from '../../api/models';
import { isUndivided, usersOf } from '../../state/quota';
import { can, inOrder } from '../../state/sessions';
import { ErrorNotice, Pending, Simulated, Warnings } from '../parts/controls';
import { Meter } from '../parts/meter';
import { projectWords } from '../dashboard/projectbars';
import { milliIn } from '../../state/dashboard';
import { deviceName, deviceText, modelText } from '../parts/placetexts';
import { gpus, shareText, statusText } from '../parts/texts';
import { IUi, UiProvider, useNow, useResult, useUi } from '../parts/ui';
import { IDisposable } from '@lumino/disposable';
import { createRoot } from 'react-dom/client';

/** The view of each noun that a page can show. */
const VIEWS = { quota: LiveQuota, sessions: LiveSessions, nodes: LiveNodes };

export type LiveNoun = keyof typeof VIEWS;

/** Return whether a noun has a live view. */
export function isLiveNoun(noun: string): noun is LiveNoun {
  return Object.hasOwn(VIEWS, noun);
}

/** What a page wants to see; an empty `project` or `session` (an id) means all. */
interface ILive {
  noun: LiveNoun;
  project: string;
  session: string;
}

/** Show a noun wherever a page wants it, for example in the output of a cell. */
export function LiveView(props: ILive): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult<unknown>(workspace[props.noun]);
  if (result.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (result.status === 'error') {
    return <ErrorNotice trans={trans} error={result.error} />;
  }
  const View: React.ComponentType<ILive> = VIEWS[props.noun];
  return <View {...props} />;
}

function LiveQuota(props: { project: string }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.quota);
  const about = useResult(workspace.about);
  if (result.status !== 'ready') {
    return null;
  }
  const { projects, simulated } = result.value;
  return (
    <>
      <table className="jp-GpuQuota-table">
        <caption>
          {trans.__('Quota')} {simulated ? <Simulated trans={trans} /> : null}
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Project')}</th>
            <th scope="col">{trans.__('GPUs')}</th>
            <th scope="col">{trans.__('Queued')}</th>
            <th scope="col">{trans.__('People')}</th>
          </tr>
        </thead>
        <tbody>
          {projects
            .filter(({ name }) => !props.project || name === props.project)
            .map(project => {
              const text = projectWords(project, trans);
              return (
                <tr key={project.name}>
                  <th scope="row">{project.name}</th>
                  <td>
                    <Meter
                      value={project.allocated}
                      over={project.over}
                      max={project.quota}
                      label={trans.__('GPUs used by %1', project.name)}
                      text={text}
                    />
                    {text}
                  </td>
                  <td>{project.waiting}</td>
                  <td>
                    {usersOf(project, '')
                      .map(use => `${use.user} ${gpus(use.allocated)}`)
                      .join(', ')}
                  </td>
                </tr>
              );
            })}
        </tbody>
      </table>
      {about.status === 'ready' ? (
        <Warnings warnings={about.value.warnings} />
      ) : null}
    </>
  );
}

function LiveSessions(props: ILive): JSX.Element | null {
  const { workspace, trans } = useUi();
  const now = useNow(15_000);
  const result = useResult(workspace.sessions);
  const quota = useResult(workspace.quota);
  if (result.status !== 'ready') {
    return null;
  }
  const sessions = inOrder(result.value.items).filter(
    ({ id, spec }) =>
      (!props.project || spec.project === props.project) &&
      (!props.session || id === props.session)
  );
  if (!sessions.length) {
    return <p className="jp-GpuQuota-quiet">{trans.__('No sessions.')}</p>;
  }
  const isWhole = quota.status === 'ready' && isUndivided(quota.value);
  return (
    <table className="jp-GpuQuota-table">
      <caption>
        {trans.__('Sessions')}{' '}
        {sessions.some(({ placement }) => placement?.simulated) ? (
          <Simulated trans={trans} />
        ) : null}
      </caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          {isWhole ? null : <th scope="col">{trans.__('Project')}</th>}
          <th scope="col">{trans.__('Share')}</th>
          <th scope="col">{trans.__('State')}</th>
        </tr>
      </thead>
      <tbody>
        {sessions.slice(0, 100).map(session => (
          <tr key={session.id}>
            <th scope="row">
              {can(session, 'open') ? (
                <a
                  href={workspace.actions.url(session)}
                  target="_blank"
                  rel="noopener noreferrer"
                >
                  {session.spec.name}
                </a>
              ) : (
                session.spec.name
              )}
            </th>
            {isWhole ? null : <td>{session.spec.project}</td>}
            <td>{shareText(trans, session.spec.share)}</td>
            <td>{statusText(trans, session, now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LiveNodes(): JSX.Element | null {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.nodes);
  if (result.status !== 'ready') {
    return null;
  }
  const devices = result.value.nodes.flatMap(({ devices }) => devices);
  return (
    <table className="jp-GpuQuota-table">
      <caption>
        {trans.__('Nodes')}{' '}
        {devices.some(({ device }) => device.simulated) ? (
          <Simulated trans={trans} />
        ) : null}
      </caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('GPU')}</th>
          <th scope="col">{trans.__('Model')}</th>
          <th scope="col">{trans.__('Used')}</th>
          <th scope="col">{trans.__('Sessions')}</th>
        </tr>
      </thead>
      <tbody>
        {result.value.nodes.map(node => (
          <LiveNode key={node.name} node={node} />
        ))}
      </tbody>
    </table>
  );
}

function LiveNode({ node }: { node: NodeUse }): JSX.Element {
  const { trans } = useUi();
  const name = ({ name, milli }: SliceUse) => `${name} ${gpus(milli)}`;
  const lost = (device: Device) =>
    node.problem || (device.lost ? trans.__('lost') : '');
  return (
    <>
      {node.devices.map(({ device, free, slices }, index) => {
        const all = milliIn(device);
        const text = trans.__('%1 of %2', gpus(all - free), gpus(all));
        return (
          <tr key={index}>
            <th scope="row">
              {node.name} {deviceText(device)}
            </th>
            <td>
              {modelText(device)}
              {lost(device) ? ` – ${lost(device)}` : ''}
            </td>
            <td>
              <Meter
                value={all - free}
                over={0}
                max={all}
                label={trans.__(
                  'Use of %1 on %2',
                  deviceName(trans, device),
                  node.name
                )}
                text={text}
              />
              {text}
            </td>
            <td>{slices.map(name).join(', ')}</td>
          </tr>
        );
      })}
    </>
  );
}

/**
 * Show a live view inside an element of the page until `signal` is aborted.
 *
 * What it shows is watched only while it is visible. An element whose noun has no live
 * view keeps its content.
 */
export function showLive(
  host: HTMLElement,
  ui: IUi,
  signal: AbortSignal
): void {
  const noun = host.getAttribute('noun') ?? '';
  if (!isLiveNoun(noun)) {
    return;
  }
  const fallback = [...host.childNodes];
  const place = document.createElement('div');
  place.className = 'jp-GpuQuota jp-GpuQuota-live';
  host.replaceChildren(place);
  const root = createRoot(place);
  root.render(
    <UiProvider ui={ui}>
      <LiveView
        noun={noun}
        project={host.getAttribute('project') ?? ''}
        session={host.getAttribute('session') ?? ''}
      />
    </UiProvider>
  );
  let watchers: IDisposable[] = [];
  const unwatch = () => {
    watchers.forEach(watcher => watcher.dispose());
    watchers = [];
  };
  const observer = new IntersectionObserver(entries => {
    unwatch();
    if (entries.at(-1)?.isIntersecting) {
      watchers = [ui.workspace[noun].watch()];
    }
  });
  observer.observe(host);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    unwatch();
    root.unmount();
    host.replaceChildren(...fallback);
  });
}
