import { KernelSpec } from '@jupyterlab/services';
import { aboutSession, IKernelAbout } from './about';

/** Hides cards of the Launcher: JupyterLab lists all kernelspecs of the account, each twice. */
export class HiddenCards {
  /** `category` limits what is hidden to the cards of one heading. */
  constructor(category = '') {
    this._selector = category
      ? `.jp-LauncherCard[data-category=${JSON.stringify(category)}]`
      : '.jp-LauncherCard';
    document.head.append(this._style);
  }

  /** Hide the cards of those kernelspecs of ours that a test picks, and show all others. */
  hide(
    specs: KernelSpec.ISpecModels | null,
    isHidden: (about: IKernelAbout) => boolean
  ): void {
    const rules = Object.values(specs?.kernelspecs ?? {})
      .filter(found => isHidden(aboutSession(found?.metadata)))
      .map(found => `[title=${JSON.stringify(found?.display_name)}]`)
      .map(title => `${this._selector}${title} { display: none; }`)
      .join('\n');
    // What has not changed is not written: pages draw anew for each change of their styles.
    if (this._style.textContent !== rules) {
      this._style.textContent = rules;
    }
  }

  dispose(): void {
    this._style.remove();
  }

  private readonly _selector: string;
  private readonly _style = document.createElement('style');
}
