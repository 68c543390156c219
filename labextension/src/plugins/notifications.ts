import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { watchInBackground } from '../state/background';
import { INews, NoticeEvents } from '../state/notices/events';
import { isWanted } from '../state/notices/switches';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { SessionNotices } from '../views/notices/notices';
import { whenNeeded } from './whenneeded';

/** Notify the user of changes of their sessions. */
export const notifications: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:notifications',
  description:
    'Notices when a session is ready, failed, queued, preempted, about to be stopped, or ended by somebody else.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const events = new NoticeEvents();
    const withNotices = whenNeeded(trans, () => load(app, workspace, trans));
    const isShown = (item: INews) =>
      isWanted(item, workspace.preferences.values) &&
      // A session's own page counts down to its end, and explains it.
      !(item.kind === 'reclaimed' && item.session.id === workspace.here);
    const look = () => {
      const sessions = workspace.sessions.result;
      const about = workspace.about.result;
      if (sessions.status !== 'ready' || about.status !== 'ready') {
        return;
      }
      const { items } = sessions.value;
      const news = events
        .look(items, about.value.user, Date.now())
        // What is not shown still replaces what was.
        .map(item =>
          isShown(item) ? item : { ...item, kind: 'over' as const }
        );
      if (news.length) {
        withNotices(notices => notices.show(news));
      }
    };
    workspace.sessions.changed.connect(look);
    // It is read again and again while the list stays as it is: an end may come near meanwhile.
    workspace.about.changed.connect(look);
    void app.restored.then(() => {
      watchInBackground(workspace, [workspace.sessions]);
    });
  }
};

async function load(
  app: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): Promise<SessionNotices> {
  const { SessionNotices } = await import(
    /* webpackChunkName: "pages" */ '../views/notices/notices'
  );
  return new SessionNotices(workspace, app.commands, trans);
}
