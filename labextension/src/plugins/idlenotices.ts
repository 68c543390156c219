import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { closedHere, outerBase } from '../state/idle';
import { IdleWatchman, IIdleNews } from '../state/idlenews';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IdleNotices } from '../views/idlenotices';
import { report } from './report';

/** Warn before a session is ended for being idle, and tell when it was. */
export const idleNotices: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:idle-notices',
  description:
    'Notices before and after an idle session is suspended or stopped, with ways to keep it alive and to resume it.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null
  ): void => {
    const trans = ours(translator);
    const outer = outerBase(app.serviceManager.serverSettings.baseUrl);
    const watchman = new IdleWatchman();
    let notices: Promise<IdleNotices> | undefined;
    const tell = async (news: IIdleNews[]) => {
      notices ??= import('../views/idlenotices').then(
        ({ IdleNotices }) => new IdleNotices(quota, app.commands, trans, outer)
      );
      const shown = await notices;
      shown.tell(
        news.filter(
          ({ kind }) => kind === 'over' || quota.preferences.values.notifyIdle
        )
      );
    };
    // That sessions are read while nobody looks is the business of the other notices.
    const look = () => {
      const sessions = quota.sessions.result;
      const about = quota.about.result;
      if (sessions.status !== 'ready' || about.status !== 'ready') {
        return;
      }
      const closed = closedHere(sessions, quota.here);
      const news = [
        ...watchman.lookHere(quota.session(quota.here), closed?.hint ?? ''),
        ...watchman.look(sessions.value.items, about.value.user)
      ];
      if (news.length) {
        tell(news).catch(error => {
          notices = undefined; // the next news try to load it again
          report(trans, error);
        });
      }
    };
    quota.sessions.changed.connect(look);
    quota.about.changed.connect(look);
  }
};
