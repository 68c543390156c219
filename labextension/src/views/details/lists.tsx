import { TranslationBundle } from '@jupyterlab/translation';
import React, { lazy, Suspense } from 'react';
import { Advice, PodOptions, Session } from '../../api/models';
import { IOptions, typedOptions } from '../../state/container';
import { shortId } from '../../state/datasets/references';
import { YES } from '../../state/settings/formvalues';
import { IResource } from '../../state/resource';
import { ISessionIdleness } from '../../state/idle/sessionidleness';
import { can } from '../../state/sessions';
import { joinWords } from '../../state/shellwords';
import { GpuSection } from '../gpus/sessionuse';
import { IdleSections } from './idle';
import { Runs } from './runs';
import { optionLabels } from '../parts/optionlabels';
import { placeText } from '../parts/placetexts';
import {
  isolationDetail,
  kindText,
  memory,
  momentText,
  shareText,
  sliceMemory,
  timeText
} from '../parts/texts';
import { Facts } from '../parts/facts';
import { takerText } from '../parts/takertexts';
import { useUi } from '../parts/ui';
import { RightSize } from './details';

/** Loaded for sessions that were launched with a list of clusters. */
const Places = lazy(
  () => import(/* webpackChunkName: "clusters" */ '../clusters/places')
);

/** Show what a session is, in lists. */
export function DetailLists(props: {
  session: Session;
  advice: IResource<Advice | null>;
  idleness: ISessionIdleness;
}): JSX.Element {
  return (
    <>
      <Ending {...props} />
      {props.session.fallback ? (
        <Suspense fallback={null}>
          <Places fallback={props.session.fallback} />
        </Suspense>
      ) : null}
      <Share {...props} />
      <GpuSection session={props.session} />
      <IdleSections {...props} />
      <Runs session={props.session} />
      <Steps {...props} />
      <Request {...props} />
      <Times {...props} />
    </>
  );
}

function Ending({ session }: { session: Session }): JSX.Element | null {
  const { trans } = useUi();
  const { exit, reason } = session;
  return (
    <>
      <Facts
        title={exit ? trans.__('Exit') : trans.__('Reason')}
        facts={[
          [
            trans.__('Exit code'),
            exit &&
              (exit.code === null ? trans.__('unknown') : String(exit.code))
          ],
          [trans.__('Signal'), exit?.signal],
          [trans.__('As reported'), reason?.raw]
        ]}
      />
      {exit?.last_lines.length ? (
        <section>
          <h3>{trans.__('Last lines of the log')}</h3>
          <pre tabIndex={0}>{exit.last_lines.join('\n')}</pre>
        </section>
      ) : null}
    </>
  );
}

function Share(props: {
  session: Session;
  advice: IResource<Advice | null>;
}): JSX.Element | null {
  const { trans } = useUi();
  const { session } = props;
  const { isolation, placement, spec, usage } = session;
  const part = sliceMemory(session);
  return (
    <Facts
      title={trans.__('Share and isolation')}
      facts={[
        [trans.__('Share'), shareText(trans, spec.share)],
        [trans.__('GPU memory'), part ? memory(part) : ''],
        [
          trans.__('Runs on'),
          placement &&
            (placement.simulated
              ? trans.__('%1 (simulated)', placeText(trans, placement))
              : placeText(trans, placement))
        ],
        [
          trans.__('Measured use'),
          usage?.memory !== null && usage?.memory !== undefined
            ? usage.over
              ? trans.__('%1, more than its share', memory(usage.memory))
              : memory(usage.memory)
            : ''
        ],
        [
          trans.__('Recommended size'),
          can(session, 'activity') && <RightSize key="size" {...props} />
        ],
        [
          trans.__('Isolation'),
          isolation && (
            <ul>
              {isolationDetail(trans, isolation).map(line => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )
        ]
      ]}
    />
  );
}

function Steps({ session }: { session: Session }): JSX.Element | null {
  const { trans } = useUi();
  if (!session.progress.length) {
    return null;
  }
  return (
    <section>
      <h3>{trans.__('Progress')}</h3>
      <ol className="jp-GpuQuota-steps">
        {session.progress.map(({ at, message }, index) => (
          <li key={index}>
            <time dateTime={at}>{momentText(at)}</time> {message}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Request({ session }: { session: Session }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const { spec } = session;
  const code = (text: string) => text && <code>{text}</code>;
  return (
    <Facts
      title={trans.__('Request')}
      facts={[
        [trans.__('Project'), spec.project],
        [trans.__('Owner'), session.owner],
        [trans.__('Kind'), kindText(trans, spec.kind)],
        [
          trans.__('Environment'),
          spec.image ? trans.__('image %1', spec.image) : code(spec.environment)
        ],
        [trans.__('Folder'), code(spec.folder)],
        [trans.__('Data'), code(dataText(spec))],
        [trans.__('Volumes'), code(volumesText(spec))],
        [
          trans.__('Command'),
          // A hidden request does not even show its folder.
          code(joinWords(spec.command)) ||
            (spec.folder && trans.__('Jupyter Server'))
        ],
        [trans.__('Arguments'), code(joinWords(spec.args))],
        [
          trans.__('Variables'),
          code(
            Object.entries(spec.env)
              .map(([name, value]) => `${name}=${value}`)
              .join('\n')
          )
        ],
        [
          trans.__('Ports'),
          spec.ports.length > 0 &&
            (can(session, 'open')
              ? spec.ports.map(port => (
                  <a
                    key={port}
                    href={workspace.actions.url(session, port)}
                    target="_blank"
                    rel="noopener noreferrer"
                  >
                    {port}{' '}
                  </a>
                ))
              : spec.ports.join(', '))
        ],
        [trans.__('Priority'), String(spec.priority)],
        [trans.__('Node group'), spec.node_type],
        ...containerFacts(trans, spec.pod)
      ]}
    />
  );
}

/** What was requested of a session's container, as it is typed in the form. */
function containerFacts(
  trans: TranslationBundle,
  options: PodOptions | null | undefined
): (readonly [string, React.ReactNode])[] {
  const labels = optionLabels(trans);
  const typed: Partial<IOptions> = options ? typedOptions(options) : {};
  return Object.entries(typed).map(([name, text]) => [
    labels[name as keyof IOptions],
    text && (text === YES ? trans.__('yes') : <code>{text}</code>)
  ]);
}

function Times({ session }: { session: Session }): JSX.Element | null {
  const { trans } = useUi();
  const { reclaimed } = session;
  const time = (at: string | null) => at && timeText(at);
  return (
    <Facts
      title={trans.__('Times')}
      facts={[
        [trans.__('Submitted'), time(session.created)],
        [trans.__('Running since'), time(session.started)],
        [trans.__('Ended'), time(session.ended)],
        [
          trans.__('Last reclaimed'),
          reclaimed &&
            trans.__(
              '%1, for %2',
              timeText(reclaimed.at),
              takerText(trans, reclaimed)
            )
        ],
        [trans.__('ID'), <code key="id">{session.id}</code>]
      ]}
    />
  );
}

/** Return the volumes that a session mounts, as they are requested: `scratch:/data:ro`. */
function volumesText({ volumes = [] }: Session['spec']): string {
  return volumes
    .map(({ host_path, path, read_only, volume }) =>
      [volume || host_path, path, read_only ? 'ro' : '']
        .filter(Boolean)
        .join(':')
    )
    .join(', ');
}

/** Return the versions of datasets that a session uses: `digits@a75e2390ea9b:/in`. */
function dataText({ data = [] }: Session['spec']): string {
  return data
    .map(({ dataset, path, version }) =>
      [`${dataset}@${shortId({ id: version })}`, path].filter(Boolean).join(':')
    )
    .join(', ');
}
