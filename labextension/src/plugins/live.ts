import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';
import { IGpuWorkspace } from '../tokens';
import { ours } from '../translation';
import type { IUi } from '../views/parts/ui';

/** The element's name, which the HTML of Python's widgets uses. */
const LIVE_TAG = 'gpuquota-live';

/** Let HTML anywhere in JupyterLab show live state, with no traffic of any kernel. */
export const live: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-gpuquota:live',
  description: 'The HTML element <gpuquota-live noun="quota|sessions|nodes">.',
  autoStart: true,
  requires: [IGpuWorkspace],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    workspace: IGpuWorkspace,
    translator: ITranslator | null
  ): void => {
    const ui: IUi = {
      workspace,
      commands: app.commands,
      trans: ours(translator)
    };
    // A page has one registry of elements, and nothing ever leaves it.
    if (!window.customElements.get(LIVE_TAG)) {
      window.customElements.define(LIVE_TAG, makeElement(ui));
    }
  }
};

/** Make the element's class. Until the view is loaded it shows what the page put into it. */
function makeElement(ui: IUi): CustomElementConstructor {
  return class LiveElement extends HTMLElement {
    static observedAttributes = ['noun', 'project', 'session'];

    connectedCallback(): void {
      this._show();
    }

    disconnectedCallback(): void {
      this._hide();
    }

    attributeChangedCallback(): void {
      if (this.isConnected) {
        this._hide();
        this._show();
      }
    }

    private _show(): void {
      const shown = new AbortController();
      this._shown = shown;
      void import('../views/live/live').then(({ showLive }) => {
        if (!shown.signal.aborted) {
          showLive(this, ui, shown.signal);
        }
      });
    }

    private _hide(): void {
      this._shown?.abort();
    }

    private _shown?: AbortController;
  };
}
