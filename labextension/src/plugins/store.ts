import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Translate, translateAnswers } from '../api/localise';
import { Store } from '../state/store';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';

const ID = 'jupyter-gpuquota:plugin';

/** The server's state and what can be done to it; shows nothing. */
export const store: JupyterFrontEndPlugin<IGpuWorkspace> = {
  id: ID,
  description:
    'Keeps sessions, quota and nodes up to date, and holds the settings.',
  autoStart: true,
  provides: IGpuWorkspace,
  optional: [ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    settings: ISettingRegistry | null,
    translator: ITranslator | null
  ): IGpuWorkspace => {
    const isEnglish = /^en\b/.test(translator?.languageCode ?? 'en');
    translateAnswers(isEnglish ? undefined : loadMessages(ours(translator)));
    const { serverSettings, events } = app.serviceManager;
    const store = new Store(serverSettings, events);
    if (settings) {
      settings.load(ID).then(
        loaded => store.preferences.bind(loaded),
        error => console.warn('The GPU workspace uses its defaults:', error)
      );
    }
    return store;
  }
};

/** Load the messages of the server, which no page in English needs. */
async function loadMessages(trans: TranslationBundle): Promise<Translate> {
  const { messageTranslation } = await import(
    /* webpackChunkName: "messages" */ '../views/parts/messageformats'
  );
  return messageTranslation(trans);
}
