import { KernelSpec } from '@jupyterlab/services';
import { Session } from '../../api/models';
import { aboutSession } from '../notebooks/about';

/**
 * Keeps the kernel of a session out of the Launcher of its own JupyterLab: there, the server's
 * default kernel is the same one. JupyterLab lists all kernelspecs of the account, and can hide none.
 */
export class OwnKernel {
  constructor() {
    document.head.append(this._style);
  }

  /** Hide the cards of the kernelspecs that run code in a session. */
  hide({ spec }: Session, specs: KernelSpec.ISpecModels | null): void {
    const place = `${spec.project}/${spec.name}`;
    const titles = Object.values(specs?.kernelspecs ?? {})
      .filter(found => aboutSession(found?.metadata).session === place)
      .map(found => JSON.stringify(found?.display_name));
    const rules = titles.map(
      title => `.jp-LauncherCard[title=${title}] { display: none; }`
    );
    // What has not changed is not written: pages draw anew for each change of their styles.
    if (this._style.textContent !== rules.join('\n')) {
      this._style.textContent = rules.join('\n');
    }
  }

  dispose(): void {
    this._style.remove();
  }

  private readonly _style = document.createElement('style');
}
