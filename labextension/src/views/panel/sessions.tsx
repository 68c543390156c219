import { Widget } from '@lumino/widgets';
import React, {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState
} from 'react';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { can, hasEnded, inOrder, matches } from '../../state/sessions';
import { ISessions } from '../../tokens';
import { Loaded } from '../parts/loaded';
import { IPoint } from '../parts/menu';
import { openMenu } from './sessionmenu';
import { SessionRow } from './sessionrow';
import { stateText } from '../parts/texts';
import { IUi, LiveWidget, useMe, useNow, useSignal, useUi } from '../parts/ui';
import { VirtualList } from '../parts/virtuallist';

const ROW_HEIGHT = 62;
const MENU = [
  CommandIDs.open,
  CommandIDs.logs,
  CommandIDs.details,
  CommandIDs.copyUrl,
  '',
  CommandIDs.takeSnapshot,
  CommandIDs.keepAlive,
  CommandIDs.suspend,
  CommandIDs.resume,
  CommandIDs.changeShare,
  CommandIDs.launchAgain,
  CommandIDs.stop,
  CommandIDs.remove
];
const idOf = (session: Session) => session.id;

/** Make the panel's section on sessions. */
export function create(ui: IUi): Widget {
  const widget = new LiveWidget(ui, <SessionsView />, [
    ui.workspace.sessions,
    ui.workspace.resource('utilisation')
  ]);
  widget.addClass('jp-GpuQuota-sessionsSection');
  widget.title.label = ui.trans.__('Sessions');
  return widget;
}

/** Show all sessions, with a filter. */
export function SessionsView(): JSX.Element {
  return (
    <Loaded resource={useUi().workspace.sessions} isQuiet>
      {value => <Sessions sessions={value} />}
    </Loaded>
  );
}

function Sessions(props: { sessions: ISessions }): JSX.Element {
  const { workspace, trans } = useUi();
  const { items, total } = props.sessions;
  const [filter, setFilter] = useState('');
  const [mine, setMine] = useState(false);
  const me = useMe();
  const target = useTarget(() => {
    setFilter('');
    setMine(false);
  });
  useSignal(workspace.removals.changed);
  useSignal(workspace.preferences.changed);
  const { showEnded } = workspace.preferences.values;
  const known = useMemo(() => inOrder(items), [items]);
  const shown = known.filter(
    session =>
      workspace.removals.isShown(session) &&
      (showEnded || !hasEnded(session) || session.id === target.id) &&
      (!mine || session.owner === me) &&
      matches(session, filter, stateText(trans, session))
  );
  return (
    <>
      <Filter {...{ filter, setFilter, mine, setMine }} />
      {shown.length ? (
        <List sessions={shown} me={me} target={target} />
      ) : (
        <Empty filtered={known.some(workspace.removals.isShown)} />
      )}
      {total > items.length ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Showing the first %1 of %2 sessions.',
            items.length,
            total
          )}
        </p>
      ) : null}
      <Announcer sessions={known} me={me} />
    </>
  );
}

/** Follow which session the list has to show next. */
function useTarget(onNew: () => void): { id: string | null; done: () => void } {
  const { workspace } = useUi();
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    const onRevealed = () => {
      const wanted = workspace.takeRevealed();
      if (wanted) {
        onNew();
        setId(wanted);
      }
    };
    onRevealed(); // one may have been asked for before this was drawn
    workspace.revealed.connect(onRevealed);
    return () => {
      workspace.revealed.disconnect(onRevealed);
    };
  }, [workspace]);
  return { id, done: useCallback(() => setId(null), []) };
}

function Filter(props: {
  filter: string;
  setFilter: (filter: string) => void;
  mine: boolean;
  setMine: (mine: boolean) => void;
}): JSX.Element {
  const { trans } = useUi();
  return (
    <div className="jp-GpuQuota-filter">
      <input
        type="search"
        className="jp-GpuQuota-input"
        placeholder={trans.__('Filter')}
        aria-label={trans.__(
          'Filter sessions by name, project, owner or state'
        )}
        value={props.filter}
        onChange={event => props.setFilter(event.target.value)}
      />
      <button
        type="button"
        className="jp-GpuQuota-toggle"
        aria-pressed={props.mine}
        onClick={() => props.setMine(!props.mine)}
      >
        {trans.__('Mine')}
      </button>
    </div>
  );
}

function List(props: {
  sessions: readonly Session[];
  me: string;
  target: { id: string | null; done: () => void };
}): JSX.Element {
  const ui = useUi();
  const now = useNow(15_000);
  const { commands, trans } = ui;
  const onMenu = useCallback(
    (session: Session, at: IPoint, from: HTMLElement) =>
      openMenu(ui.commands, MENU, session, at, from),
    [ui]
  );
  return (
    <VirtualList
      label={trans.__('Sessions')}
      items={props.sessions}
      idOf={idOf}
      rowHeight={ROW_HEIGHT}
      target={props.target.id}
      onTarget={props.target.done}
      row={(session, row) => (
        <SessionRow
          key={session.id}
          {...row}
          session={session}
          me={props.me}
          now={now}
          onMenu={onMenu}
        />
      )}
      onKey={(session, event) => {
        const { id } = session;
        if (event.key === 'Enter') {
          const command = can(session, 'open')
            ? CommandIDs.open
            : CommandIDs.details;
          void commands.execute(command, { id });
        } else if (event.key === 'Delete') {
          void commands.execute(CommandIDs.remove, { id });
        }
      }}
    />
  );
}

function Empty(props: { filtered: boolean }): JSX.Element {
  const { trans, commands } = useUi();
  if (props.filtered) {
    return (
      <p className="jp-GpuQuota-quiet">{trans.__('No matching sessions.')}</p>
    );
  }
  return (
    <div className="jp-GpuQuota-empty">
      <p>{trans.__('No sessions yet.')}</p>
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'A session is a separate Jupyter server with its own share of a GPU.'
        )}
      </p>
      <button
        type="button"
        className="jp-GpuQuota-button jp-mod-accept"
        onClick={() => void commands.execute(CommandIDs.launch)}
      >
        {trans.__('Launch a session')}
      </button>
    </div>
  );
}

/** Announce changes of the user's sessions to screen readers. */
function Announcer(props: {
  sessions: readonly Session[];
  me: string;
}): JSX.Element {
  const { trans } = useUi();
  const before = useRef<Map<string, Session['state']>>();
  const [said, setSaid] = useState('');
  useEffect(() => {
    const mine = props.sessions.filter(session => session.owner === props.me);
    const changed = mine.filter(
      ({ id, state }) => before.current && before.current.get(id) !== state
    );
    before.current = new Map(mine.map(({ id, state }) => [id, state]));
    if (changed.length) {
      const texts = changed
        .slice(0, 3)
        .map(session =>
          trans.__('%1: %2', session.spec.name, stateText(trans, session))
        );
      setSaid(texts.join('. '));
    }
  }, [props.sessions]);
  return (
    <div className="jp-GpuQuota-unseen" aria-live="polite">
      {said}
    </div>
  );
}
