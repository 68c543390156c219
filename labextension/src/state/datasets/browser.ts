import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { Aborted, ApiError, asApiError } from '../../api/errors';
import { DataFile, FilePreview, Version } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { Pages } from './pages';

/** One folder on the way from the root of a version. */
export interface ICrumb {
  readonly name: string;
  readonly path: string;
  /** Whether the path is not UTF-8 and therefore base64. */
  readonly raw: boolean;
}

/** What is known of the file that is chosen. */
export interface IChosen {
  readonly file: DataFile;
  readonly preview?: FilePreview;
  readonly error?: ApiError;
}

/** The files of one version: the folder that is shown, what is searched for, the chosen file. */
export class FileBrowser implements IDisposable {
  constructor(
    private _workspace: Pick<IGpuWorkspace, 'call'>,
    readonly place: { readonly dataset: string; readonly version: string },
    path = ''
  ) {
    this._crumbs = crumbsOf(path);
    this._pages = this._list();
    void this._readVersion();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The folders from the root to the one that is shown; none for the root. */
  get crumbs(): readonly ICrumb[] {
    return this._crumbs;
  }

  get pages(): Pages<DataFile> {
    return this._pages;
  }

  get match(): string {
    return this._match;
  }

  get chosen(): IChosen | undefined {
    return this._chosen;
  }

  /** The version itself, once it has been read. */
  get version(): Version | undefined {
    return this._version;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Go to a folder on the way; -1 is the root. */
  up(index: number): void {
    this._crumbs = this._crumbs.slice(0, index + 1);
    this._show();
  }

  /** Go into a folder, or choose a file and read its preview. */
  open(file: DataFile): void {
    if (file.kind !== 'folder') {
      void this._choose(file);
      return;
    }
    const { name, path, raw } = file;
    // A folder that was found by a search may be several levels below.
    this._crumbs = raw
      ? [...this._crumbs, { name, path, raw }]
      : crumbsOf(path);
    this._match = '';
    this._show();
  }

  search(match: string): void {
    this._match = match;
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._show(), 250);
    this._changed.emit();
  }

  unchoose(): void {
    this._choosing?.abort();
    this._chosen = undefined;
    this._changed.emit();
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._choosing?.abort();
    this._pages.dispose();
    Signal.clearData(this);
  }

  private _show(): void {
    window.clearTimeout(this._timer);
    this._pages.dispose();
    this._pages = this._list();
    this._changed.emit();
  }

  private _list(): Pages<DataFile> {
    const folder = this._crumbs[this._crumbs.length - 1];
    const match = this._match.trim();
    const pages = new Pages<DataFile>((query, signal) =>
      this._workspace.call(routes.versionsFiles, {
        args: { ...this.place },
        query: {
          ...query,
          path: folder?.path ?? '',
          ...(folder?.raw ? { raw: true } : {}),
          ...(match ? { match } : {})
        },
        signal
      })
    );
    pages.changed.connect(() => this._changed.emit());
    return pages;
  }

  private async _choose(file: DataFile): Promise<void> {
    this._choosing?.abort();
    const choosing = (this._choosing = new AbortController());
    this._set({ file });
    try {
      const { path, raw } = file;
      const preview = await this._workspace.call(routes.versionsPreview, {
        args: { ...this.place },
        query: { path, raw },
        signal: choosing.signal
      });
      if (choosing === this._choosing) {
        this._set({ file, preview });
      }
    } catch (thrown) {
      if (choosing === this._choosing && !(thrown instanceof Aborted)) {
        this._set({ file, error: asApiError(thrown) });
      }
    }
  }

  private _set(chosen: IChosen): void {
    if (!this._isDisposed) {
      this._chosen = chosen;
      this._changed.emit();
    }
  }

  private async _readVersion(): Promise<void> {
    try {
      const args = { ...this.place };
      this._version = await this._workspace.call(routes.versionsGet, { args });
      this._changed.emit();
    } catch {
      // The list of its files says why.
    }
  }

  private _changed = new Signal<this, void>(this);
  private _choosing?: AbortController;
  private _chosen?: IChosen;
  private _crumbs: readonly ICrumb[];
  private _isDisposed = false;
  private _match = '';
  private _pages: Pages<DataFile>;
  private _timer?: number;
  private _version?: Version;
}

function crumbsOf(path: string): ICrumb[] {
  const names = path.split('/').filter(Boolean);
  return names.map((name, index) => ({
    name,
    path: names.slice(0, index + 1).join('/'),
    raw: false
  }));
}
