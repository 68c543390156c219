import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { lookClosely } from '../state/closelook';
import { closedHere, outerBase } from '../state/idle';
import { IdleWatchman, IIdleNews } from '../state/idlenews';
import { IGpuQuota } from '../tokens';
import { ours } from '../translation';
import type { IdleNotices } from '../views/idlenotices';
import { report } from './report';
import { ISaving } from './saving';

/** Warn before a session is ended for being idle, and tell when it was. */
export const idleNotices: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:idle-notices',
  description:
    'Notices before and after an idle session is suspended or stopped, with ways to keep it alive and to resume it.',
  autoStart: true,
  requires: [IGpuQuota],
  optional: [ITranslator, ISaving],
  activate: (
    app: JupyterFrontEnd,
    quota: IGpuQuota,
    translator: ITranslator | null,
    saving: ISaving | null
  ): void => {
    const trans = ours(translator);
    const watchman = new IdleWatchman();
    let notices: Promise<IdleNotices> | undefined;
    const tell = async (news: IIdleNews[]) => {
      notices ??= load(app, quota, trans, saving);
      const shown = await notices;
      shown.tell(
        news.filter(
          ({ kind }) =>
            kind === 'over' ||
            kind === 'back' ||
            quota.preferences.values.notifyIdle
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
      const why = closed?.hint || (sessions.error ? null : '');
      const news = [
        ...watchman.lookHere(quota.session(quota.here), why),
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
    if (quota.here) {
      const lookNow = lookClosely(quota);
      app.serviceManager.connectionFailure.connect(() => void lookNow());
    }
  }
};

async function load(
  app: JupyterFrontEnd,
  quota: IGpuQuota,
  trans: TranslationBundle,
  saving: ISaving | null
): Promise<IdleNotices> {
  const [{ IdleNotices }, { EndHere }] = await Promise.all([
    import('../views/idlenotices'),
    import('../views/endhere')
  ]);
  const outer = outerBase(app.serviceManager.serverSettings.baseUrl);
  const here = new EndHere(trans, outer, () => saving?.isSaved ?? null);
  return new IdleNotices(quota, app.commands, trans, here);
}
