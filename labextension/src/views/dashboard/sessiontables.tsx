import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { ProjectUse, Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { milliOf } from '../../state/dashboard';
import { borrowedBy, inLine } from '../../state/queued';
import { isLive } from '../../state/sessions';
import { idleSpan } from '../idle/texts';
import { Badge, OverShare } from '../parts/controls';
import { DataTable, ITableColumn } from '../parts/datatable';
import { placeText } from '../parts/placetexts';
import { queuedText } from '../parts/queuedtexts';
import {
  clockText,
  gpusText,
  kindText,
  reclaimText,
  shareText,
  shortReason,
  spanText,
  stateText
} from '../parts/texts';
import { IUi, useNow, useUi } from '../parts/ui';

type Column = ITableColumn<Session>;

/** Show who runs, and who waits for what. */
export function SessionTables(props: {
  sessions: readonly Session[];
  projects: readonly ProjectUse[];
  /** Whether one project has all GPUs, and need not be named. */
  isWhole?: boolean;
}): JSX.Element {
  const { isWhole, projects, sessions } = props;
  const ui = useUi();
  const { trans } = ui;
  const now = useNow(15_000);
  const running = useMemo(() => sessions.filter(isLive), [sessions]);
  const waiting = useMemo(() => inLine(sessions), [sessions]);
  const borrowed = useMemo(
    () => borrowedBy(running, projects),
    [running, projects]
  );
  const [live, queued] = useMemo(
    () =>
      [liveColumns(ui, now, borrowed), queuedColumns(ui, now, waiting)].map(
        columns => columns.filter(({ id }) => id !== 'project' || !isWhole)
      ),
    [ui, now, borrowed, isWhole, waiting]
  );
  return (
    <>
      <DataTable
        title={trans.__('Running sessions')}
        file="gpu-sessions-running"
        columns={live}
        rows={running}
        idOf={idOf}
        sort={{ column: 'name', descending: false }}
        empty={trans.__('No running sessions')}
      />
      <DataTable
        title={trans.__('Queued sessions')}
        file="gpu-sessions-waiting"
        columns={queued}
        rows={waiting}
        idOf={idOf}
        sort={{ column: isWhole ? 'line' : 'project', descending: false }}
        empty={trans.__('No queued sessions')}
        summary={queuedText(trans, waiting)}
      />
    </>
  );
}

const idOf = ({ id }: Session) => id;

/** Return what both tables begin with. */
function commonColumns({ commands, trans }: IUi): Column[] {
  return [
    {
      ...plain('name', trans.__('Name'), ({ spec }) => spec.name),
      cell: ({ id, spec }) => (
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={() => void commands.execute(CommandIDs.details, { id })}
        >
          {spec.name}
        </button>
      )
    },
    plain('project', trans.__('Project'), ({ spec }) => spec.project),
    plain('user', trans.__('User'), ({ owner }) => owner),
    plain('kind', trans.__('Kind'), ({ spec }) => kindText(trans, spec.kind)),
    {
      id: 'share',
      label: trans.__('Share'),
      sortKey: milliOf,
      text: ({ spec }) => shareText(trans, spec.share),
      csv: session =>
        milliOf(session) / 1000 || shareText(trans, session.spec.share),
      cell: session => <ShareCell session={session} trans={trans} />
    }
  ];
}

function liveColumns(
  ui: IUi,
  now: number,
  borrowed: ReadonlyMap<string, number>
): Column[] {
  const { trans } = ui;
  const marks = (session: Session) =>
    [
      borrowedText(trans, session, borrowed.get(session.id) ?? 0),
      idleSpan(trans, session, now)
    ].filter(Boolean);
  return [
    ...commonColumns(ui),
    plain('place', trans.__('Runs on'), ({ placement }) =>
      placement ? placeText(trans, placement) : ''
    ),
    {
      ...plain('state', trans.__('State'), session =>
        [stateText(trans, session), ...marks(session)].join(', ')
      ),
      cell: session => (
        <>
          {stateText(trans, session)}{' '}
          {marks(session).map(mark => (
            <Badge key={mark}>{mark}</Badge>
          ))}
        </>
      )
    },
    since(trans, [trans.__('Uptime'), trans.__('Since')], now)
  ];
}

function queuedColumns(
  ui: IUi,
  now: number,
  waiting: readonly Session[]
): Column[] {
  const { trans } = ui;
  const starts: Column = {
    ...plain('starts', trans.__('Starts about'), ({ expected }) =>
      expected ? clockText(expected) : ''
    ),
    sortKey: ({ expected }) => (expected ? Date.parse(expected) : Infinity),
    csv: ({ expected }) => expected ?? null
  };
  return [
    ...commonColumns(ui),
    {
      id: 'line',
      label: trans.__('Queue position'),
      isNumber: true,
      sortKey: session => session.queue_position || Infinity,
      text: ({ queue_position: place }) => (place ? `#${place}` : ''),
      csv: session => session.queue_position || null
    },
    ...(waiting.some(({ expected }) => expected) ? [starts] : []),
    since(trans, [trans.__('Queued for'), trans.__('Queued since')], now),
    {
      ...plain('reason', trans.__('Reason'), session =>
        whyText(trans, session)
      ),
      cell: session => <Why session={session} trans={trans} />
    }
  ];
}

function plain(
  id: string,
  label: string,
  text: (session: Session) => string
): Column {
  return { id, label, sortKey: text, text };
}

/** Return the column of how long the state has lasted; saved is when it began, and so labelled. */
function since(
  trans: TranslationBundle,
  [label, csvLabel]: [string, string],
  now: number
): Column {
  return {
    id: 'since',
    label,
    csvLabel,
    sortKey: session => -Date.parse(session.since),
    text: session => spanText(trans, now - Date.parse(session.since)),
    csv: session => session.since
  };
}

function whyText(trans: TranslationBundle, session: Session): string {
  const why =
    session.reason?.message ??
    trans.__('Will be considered in the next scheduling round.');
  const reclaimed = reclaimText(trans, session);
  return reclaimed ? trans.__('%1. %2', reclaimed, why) : why;
}

/** Why a session waits: in few words what its group's line says, the rest when opened. */
function Why(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element {
  const { session, trans } = props;
  const whole = whyText(trans, session);
  const hint = session.reason?.hint ?? '';
  const short =
    reclaimText(trans, session) || shortReason(trans, session) || whole;
  const rest = [short === whole ? '' : whole, hint].filter(Boolean);
  return rest.length ? (
    <details className="jp-GpuQuota-disclosure">
      <summary>{short}</summary>
      {rest.map(text => (
        <p key={text}>{text}</p>
      ))}
    </details>
  ) : (
    <>{short}</>
  );
}

/** Return how much of a session is borrowed; empty if nothing is. */
function borrowedText(
  trans: TranslationBundle,
  session: Session,
  milli: number
): string {
  if (!milli) {
    return '';
  }
  return milli < milliOf(session)
    ? trans.__('%1 borrowed', gpusText(trans, milli))
    : trans.__('borrowed');
}

function ShareCell(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element {
  const { trans } = props;
  return (
    <>
      {shareText(trans, props.session.spec.share)}{' '}
      <OverShare session={props.session} trans={trans} />
    </>
  );
}
