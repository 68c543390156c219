import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { IdleEvents, IIdleEvent } from '../state/idle/events';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IdleNotices } from '../views/idle/notices';
import { whenNeeded } from './whenneeded';

/** Warn before a session is ended for being idle, and tell when it was. */
export const idleNotices: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:idle-notices',
  description:
    'Notices before and after an idle session is suspended or stopped, with ways to keep it alive and to resume it.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const events = new IdleEvents();
    const withNotices = whenNeeded(trans, () => load(app, workspace, trans));
    const show = (news: IIdleEvent[]) =>
      withNotices(notices =>
        notices.show(
          news.filter(
            ({ kind }) =>
              kind === 'over' || workspace.preferences.values.notifyIdle
          )
        )
      );
    // The other notices keep sessions up to date in the background.
    const look = () => {
      const sessions = workspace.sessions.result;
      const about = workspace.about.result;
      if (sessions.status !== 'ready' || about.status !== 'ready') {
        return;
      }
      const news = events.look(sessions.value.items, about.value.user);
      if (news.length) {
        show(news);
      }
    };
    workspace.sessions.changed.connect(look);
    workspace.about.changed.connect(look);
  }
};

async function load(
  app: JupyterFrontEnd,
  workspace: IGpuWorkspace,
  trans: TranslationBundle
): Promise<IdleNotices> {
  const { IdleNotices } = await import(
    /* webpackChunkName: "pages" */ '../views/idle/notices'
  );
  return new IdleNotices(workspace, app.commands, trans);
}
