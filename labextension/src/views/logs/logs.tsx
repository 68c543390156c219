import React, {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState
} from 'react';
import { Session } from '../../api/models';
import { endReason } from '../../state/idle/endings';
import { LogModel } from '../../state/logs/log';
import { ErrorNotice } from '../parts/controls';
import { save } from '../parts/save';
import { LogBlock, LogSearch, useSearch } from './search';
import { IUi, LiveWidget, useSignal, useUi, inMain } from '../parts/ui';
import { MainAreaWidget } from '@jupyterlab/apputils';

/** How near to the end, in pixels, counts as being there. */
const NEAR = 24;

/** Show a session's log: it follows its end until the user scrolls up. */
export function LogView(props: {
  model: LogModel;
  /** The session's id. */
  id: string;
}): JSX.Element {
  const { model } = props;
  const { trans, workspace } = useUi();
  useSignal(workspace.sessions.changed);
  const session = workspace.session(props.id);
  const [isWrapped, setIsWrapped] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  useSignal(model.changed);
  const [following, setFollowing] = useFollow(box, model);
  const search = useSearch(model, box, () => setFollowing(false));
  return (
    <div
      className="jp-GpuQuota-log"
      onKeyDown={event => {
        // The browser's own search would miss rows that are not drawn.
        if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
          event.preventDefault();
          event.currentTarget.querySelector('input')?.select();
        }
      }}
    >
      <div
        className="jp-GpuQuota-logBar"
        role="toolbar"
        aria-label={trans.__('Log')}
      >
        <LogSearch search={search} />
        <LogState model={model} session={session} />
        <button
          type="button"
          className="jp-GpuQuota-toggle"
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
        >
          {trans.__('Wrap lines')}
        </button>
        <Download model={model} name={session?.spec.name ?? 'session'} />
        {following ? null : (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => setFollowing(true)}
          >
            {trans.__('Follow')}
          </button>
        )}
      </div>
      {model.error ? (
        <ErrorNotice
          trans={trans}
          error={model.error}
          onRetry={() => model.wake()}
        />
      ) : null}
      <div
        ref={box}
        className={`jp-GpuQuota-logText${isWrapped ? '' : ' jp-mod-unwrapped'}`}
        role="log"
        aria-live="off"
        aria-label={trans.__('Log')}
        tabIndex={0}
      >
        <Earlier model={model} box={box} />
        {model.text.blocks.map(block => (
          <LogBlock
            key={block.id}
            text={block.text}
            hits={search.hitsIn(block.id)}
            current={search.currentIn(block.id)}
          />
        ))}
      </div>
    </div>
  );
}

/** Saves the whole log, as far as the server has it. */
function Download(props: { model: LogModel; name: string }): JSX.Element {
  const { trans } = useUi();
  const { model, name } = props;
  const [isBusy, setIsBusy] = useState(false);
  const download = async () => {
    setIsBusy(true);
    const parts = await model.readAll();
    setIsBusy(false);
    if (parts) {
      save(`${name}.log`, new Blob(parts, { type: 'text/plain' }));
    }
  };
  return (
    <button
      type="button"
      className="jp-GpuQuota-button"
      disabled={isBusy || !model.text.blocks.length}
      onClick={() => void download()}
    >
      {trans.__('Download')}
    </button>
  );
}

function LogState(props: {
  model: LogModel;
  session: Session | undefined;
}): JSX.Element {
  const { trans } = useUi();
  const { model, session } = props;
  const why = model.hasEnded && session ? endReason(session) : '';
  let text = trans._n('%1 line', '%1 lines', model.text.lineCount);
  if (model.isPending) {
    text = trans.__('Loading…');
  } else if (session?.state === 'waiting' && !model.text.blocks.length) {
    text = trans.__('The log begins when %1 starts.', session.spec.name);
  } else if (model.hasEnded && !model.text.blocks.length) {
    text = trans.__('The log is empty.');
  } else if (model.hasEnded) {
    text = trans.__('%1, ended', text);
  }
  return (
    <span className="jp-GpuQuota-quiet" role="status">
      {why ? trans.__('%1 · %2', text, why) : text}
    </span>
  );
}

/** Offer what is before the text, or say why it is not to be had. */
function Earlier(props: {
  model: LogModel;
  box: React.RefObject<HTMLDivElement>;
}): JSX.Element | null {
  const { model, box } = props;
  const { trans } = useUi();
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    const node = box.current;
    const fromEnd = node ? node.scrollHeight - node.scrollTop : 0;
    await model.loadEarlier();
    setBusy(false);
    requestAnimationFrame(() => {
      if (node) {
        node.scrollTop = node.scrollHeight - fromEnd; // what was read stays where it was
      }
    });
  };
  if (model.rotatedAway) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__('Earlier lines were removed by log rotation.')}
      </p>
    );
  }
  if (!model.hasEarlier) {
    return null;
  }
  if (!model.canLoadEarlier) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'Earlier lines are not shown: this view holds at most 50,000 lines or 5 MB.'
        )}
      </p>
    );
  }
  return (
    <button
      type="button"
      className="jp-GpuQuota-linkButton"
      disabled={busy}
      onClick={() => void load()}
    >
      {busy ? trans.__('Loading…') : trans.__('Load earlier lines')}
    </button>
  );
}

/** Keep the end visible until the user scrolls away from it. */
function useFollow(
  box: React.RefObject<HTMLDivElement>,
  model: LogModel
): [boolean, (following: boolean) => void] {
  const [following, setFollowing] = useState(true);
  const toEnd = useCallback(() => {
    if (box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [box]);
  useLayoutEffect(() => {
    if (following) {
      toEnd();
    }
  }, [following, model.text.blocks, toEnd]);
  useEffect(() => {
    const node = box.current;
    if (!node) {
      return;
    }
    let height = node.scrollHeight;
    const onScroll = () => {
      const grown = node.scrollHeight !== height;
      height = node.scrollHeight;
      const atEnd =
        node.scrollHeight - node.scrollTop - node.clientHeight < NEAR;
      // Text that comes in moves the end away: that is not the user's doing.
      if (atEnd || !grown) {
        setFollowing(atEnd);
      }
    };
    node.addEventListener('scroll', onScroll, { passive: true });
    return () => node.removeEventListener('scroll', onScroll);
  }, [box]);
  return [following, setFollowing];
}

/** Make the viewer of one session's log. */
export function makeLogWidget(ui: IUi, id: string): MainAreaWidget {
  const { workspace } = ui;
  const model: LogModel = new LogModel(
    (query, signal) => workspace.actions.log(id, query, signal),
    () => content.isVisible
  );
  const content = new LogWidget(ui, <LogView model={model} id={id} />, [
    workspace.sessions
  ]);
  content.onShown = () => model.wake();
  let since = workspace.session(id)?.since;
  const onSessions = () => {
    const session = workspace.session(id);
    // One that was resumed writes on, and may have ended again before anyone saw it run.
    if (model.hasEnded && session && session.since !== since) {
      model.wake();
    }
    since = session?.since ?? since;
  };
  workspace.sessions.changed.connect(onSessions);
  content.disposed.connect(() => {
    workspace.sessions.changed.disconnect(onSessions);
    model.dispose();
  });
  content.addClass('jp-GpuQuota-logWidget');
  return inMain(content);
}

/** A widget that reports when it becomes visible again. */
class LogWidget extends LiveWidget {
  onShown: () => void = () => undefined;

  protected onAfterShow(): void {
    super.onAfterShow();
    this.onShown();
  }
}
