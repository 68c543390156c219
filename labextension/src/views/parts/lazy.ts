import { PromiseDelegate } from '@lumino/coreutils';
import { PanelLayout, Widget } from '@lumino/widgets';

/** A widget whose content is loaded when it is first seen. */
export class LazyWidget extends Widget {
  constructor(private _load: () => Promise<Widget>) {
    super();
    this.layout = new PanelLayout();
  }

  /** Resolves once the content is there. */
  get loaded(): Promise<void> {
    return this._loaded.promise;
  }

  protected onAfterAttach(): void {
    this._loadIfVisible();
  }

  protected onAfterShow(): void {
    this._loadIfVisible();
  }

  private _loadIfVisible(): void {
    if (this.isVisible && !this._isLoading) {
      this._isLoading = true;
      this._load().then(
        content => {
          (this.layout as PanelLayout).addWidget(content);
          this._loaded.resolve();
        },
        error => {
          this._isLoading = false; // the next look tries again
          this.node.textContent = String(error);
        }
      );
    }
  }

  private _isLoading = false;
  private _loaded = new PromiseDelegate<void>();
}
