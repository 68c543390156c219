import { Menu } from '@lumino/widgets';
import React, {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState
} from 'react';
import { Session } from '../api/models';
import { CommandIDs } from '../commands';
import { can, hasEnded, inOrder, matches } from '../state/sessions';
import { ISessions } from '../tokens';
import { Loaded } from './loaded';
import { IPoint, SessionRow } from './sessionrow';
import { stateText } from './texts';
import { IUi, useMe, useNow, useSignal, useUi } from './ui';
import { VirtualList } from './virtuallist';

const ROW_HEIGHT = 62;
const MENU = [
  CommandIDs.open,
  CommandIDs.logs,
  CommandIDs.details,
  CommandIDs.copyUrl,
  '',
  CommandIDs.keepAlive,
  CommandIDs.suspend,
  CommandIDs.resume,
  CommandIDs.stop,
  CommandIDs.remove
];
const idOf = (session: Session) => session.id;

/** Show all sessions, with a filter. */
export function SessionsView(): JSX.Element {
  return (
    <Loaded resource={useUi().quota.sessions}>
      {value => <Sessions sessions={value} />}
    </Loaded>
  );
}

function Sessions(props: { sessions: ISessions }): JSX.Element {
  const { quota, trans } = useUi();
  const { items, total } = props.sessions;
  const [filter, setFilter] = useState('');
  const [mine, setMine] = useState(false);
  const me = useMe();
  const target = useTarget(() => {
    setFilter('');
    setMine(false);
  });
  useSignal(quota.removals.changed);
  useSignal(quota.preferences.changed);
  const { showEnded } = quota.preferences.values;
  const known = useMemo(() => inOrder(items), [items]);
  const shown = known.filter(
    session =>
      quota.removals.isShown(session) &&
      (showEnded || !hasEnded(session) || session.id === target.id) &&
      (!mine || session.owner === me) &&
      matches(session, filter)
  );
  return (
    <>
      <Filter {...{ filter, setFilter, mine, setMine }} />
      {shown.length ? (
        <List sessions={shown} me={me} target={target} />
      ) : (
        <Empty filtered={known.some(quota.removals.isShown)} />
      )}
      {total > items.length ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'The first %1 of %2 sessions are shown.',
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
  const { quota } = useUi();
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    const onRevealed = () => {
      const wanted = quota.takeRevealed();
      if (wanted) {
        onNew();
        setId(wanted);
      }
    };
    onRevealed(); // one may have been asked for before this was drawn
    quota.revealed.connect(onRevealed);
    return () => {
      quota.revealed.disconnect(onRevealed);
    };
  }, [quota]);
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
      openMenu(ui, session, at, from),
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

function openMenu(
  ui: IUi,
  session: Session,
  at: IPoint,
  from: HTMLElement
): void {
  const menu = new Menu({ commands: ui.commands });
  for (const command of MENU) {
    menu.addItem(
      command ? { command, args: { id: session.id } } : { type: 'separator' }
    );
  }
  menu.aboutToClose.connect(() => {
    from.focus();
    // Not before the command has run, which happens after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  menu.open(at.x, at.y);
}

function Empty(props: { filtered: boolean }): JSX.Element {
  const { trans, commands } = useUi();
  if (props.filtered) {
    return (
      <p className="jp-GpuQuota-quiet">{trans.__('No session matches.')}</p>
    );
  }
  return (
    <div className="jp-GpuQuota-empty">
      <p>{trans.__('No sessions yet.')}</p>
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'A session is a Jupyter Server of its own with its share of a GPU.'
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

/** Say to screen readers what becomes of the user's sessions. */
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
