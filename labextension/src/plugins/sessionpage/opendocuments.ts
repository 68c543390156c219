import { JupyterFrontEnd } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';

/** The longest wait for saving, in milliseconds: a save may ask the user something. */
const LONGEST = 4000;
/** Where a page shows documents. */
const AREAS = ['main', 'left', 'right', 'down'];

type Context = NonNullable<ReturnType<IDocumentManager['contextForWidget']>>;

/** The documents that are open in this page. */
export class OpenDocuments {
  constructor(
    private _app: JupyterFrontEnd,
    private _documents: IDocumentManager
  ) {}

  /** How many of them differ from their files. */
  get unsaved(): number {
    return this._changed().length;
  }

  /** Save those that differ from their files; return how many still do. */
  async save(): Promise<number> {
    const saved = this._changed().map(context => context.save());
    if (saved.length) {
      let timer = 0;
      const late = new Promise<void>(resolve => {
        timer = window.setTimeout(resolve, LONGEST);
      });
      // JupyterLab reports what fails; it is counted below.
      await Promise.race([Promise.allSettled(saved), late]);
      window.clearTimeout(timer);
    }
    return this.unsaved;
  }

  /** Return what differs from its file: to save others would look like work. */
  private _changed(): Context[] {
    const widgets = AREAS.flatMap(area => [...this._app.shell.widgets(area)]);
    const contexts = new Set(
      widgets.map(widget => this._documents.contextForWidget(widget))
    );
    return [...contexts].flatMap(context =>
      context?.model.dirty && !context.model.readOnly ? [context] : []
    );
  }
}
