import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { runIcon } from '@jupyterlab/ui-components';
import type { Session } from '../../api/models';
import { CommandIDs, NO_ARGS } from '../../commands';
import { lookClosely } from '../../state/sessionpage/endpoller';
import { PageEvents, IPageEvent } from '../../state/sessionpage/pageevents';
import { closedHere } from '../../state/idle/idle';
import { Restarted } from '../../state/sessionpage/restarted';
import { resumeOutside } from '../../state/sessionpage/resuming';
import { IGpuWorkspace } from '../../tokens';
import { ours } from '../../translation';
import type { EndHere } from '../../views/sessionpage/endedpage';
import type { EndingNotice } from '../../views/sessionpage/endingnotice';
import { report } from '../../views/parts/report';
import { whenNeeded } from '../whenneeded';
import { ISaving } from './saving';

/** Count down to the end of the session whose own JupyterLab this is, explain it, and come back. */
export const ending: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:ending',
  description:
    "Says in a session's own JupyterLab when and why the session ends, and reconnects the page once it runs again.",
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator, ISaving],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null,
    saving: ISaving | null
  ): void => {
    if (workspace.here) {
      follow(app, workspace, ours(translator), saving, window.location);
    }
  }
};

/** Explain in the page of a session how it ends; `page` is reloaded when it is running again. */
export function follow(
  app: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  trans: TranslationBundle,
  saving: ISaving | null,
  page: Pick<Location, 'reload'>
): void {
  const restarted = new Restarted(window.sessionStorage, workspace.here);
  showRestart(trans, restarted).catch(error => report(trans, error));
  const reload = (session: Session) => {
    restarted.note(session);
    page.reload();
  };
  const watch = new PageEvents();
  const withScreens = whenNeeded(trans, () =>
    load(app, workspace, trans, saving, reload)
  );
  let end: EndHere | undefined;
  addResume(app, trans, () => end);
  const show = (news: readonly IPageEvent[]) =>
    withScreens(screens => {
      end = screens.end;
      showEvents(screens, news);
    });
  workspace.sessions.changed.connect(() => {
    const { result } = workspace.sessions;
    if (result.status !== 'ready') {
      return;
    }
    const closed = closedHere(result, workspace.here);
    const why = closed ? closed.hint || closed.message : '';
    const isKnown = Boolean(closed) || !result.error;
    const session = workspace.session(workspace.here);
    const news = watch.look(session, isKnown ? why : null);
    if (news.length) {
      show(news);
    }
  });
  const lookNow = lookClosely(workspace);
  app.serviceManager.connectionFailure.connect(() => void lookNow());
}

/** Add the command that resumes the session of this page once it has ended. */
function addResume(
  app: JupyterFrontEnd,
  trans: TranslationBundle,
  end: () => EndHere | undefined
): void {
  const isResumable = () => Boolean(end()?.isResumable);
  app.commands.addCommand(CommandIDs.resumeHere, {
    label: ({ id }) =>
      id ? trans.__('Resume') : trans.__('Resume This GPU Session'),
    caption: trans.__(
      'Restart this session; the page reconnects automatically'
    ),
    icon: runIcon,
    describedBy: { args: NO_ARGS },
    isVisible: isResumable,
    isEnabled: isResumable,
    execute: () => end()?.resume()
  });
}

interface IScreens {
  end: EndHere;
  notice: EndingNotice;
}

async function load(
  app: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  trans: TranslationBundle,
  saving: ISaving | null,
  reload: (session: Session) => void
): Promise<IScreens> {
  const [{ EndHere }, { EndingNotice }] = await Promise.all([
    import(
      /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/endedpage'
    ),
    import(
      /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/endingnotice'
    )
  ]);
  const settings = app.serviceManager.serverSettings;
  const end = new EndHere(
    trans,
    {
      get unsaved() {
        return saving?.unsaved ?? null;
      },
      save: async () => (await saving?.save()) ?? 0,
      leave: () => void app.commands.execute(CommandIDs.back),
      resume: () => resumeOutside(settings, workspace.here),
      reload
    },
    error => report(trans, error)
  );
  return { end, notice: new EndingNotice(trans, saving) };
}

async function showRestart(
  trans: TranslationBundle,
  restarted: Restarted
): Promise<void> {
  const { last } = restarted;
  if (!last) {
    return;
  }
  const { restartedText } = await import(
    /* webpackChunkName: "sessionpage" */ '../../views/sessionpage/texts'
  );
  const shown = Notification.info(restartedText(trans, last), {
    autoClose: false
  });
  const { manager } = Notification;
  const onChanged = () => {
    if (!manager.has(shown)) {
      manager.changed.disconnect(onChanged);
      restarted.dismiss();
    }
  };
  manager.changed.connect(onChanged);
}

function showEvents(
  { end, notice }: IScreens,
  news: readonly IPageEvent[]
): void {
  for (const item of news) {
    if (item.kind === 'ending') {
      notice.show(item.session);
      continue;
    }
    notice.dismiss();
    if (item.kind === 'closed') {
      end.explain(item.session, item.why);
    } else if (item.kind === 'back') {
      void end.reconnect(item.session);
    } else {
      end.dismiss();
    }
  }
}
