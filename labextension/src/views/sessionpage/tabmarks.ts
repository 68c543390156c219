import { State } from '../../api/models';
import { lookUp, Table } from '../../api/vocabulary';
import { IHere, titleHere } from '../../state/sessionpage/here';

const GREY = '#757575';
/** Browsers draw tabs in themes of their own: these colours are seen in all of them. */
const COLORS: Table<State, string> = {
  waiting: '#ef6c00',
  starting: '#1976d2',
  running: '#388e3c',
  stopping: '#1976d2',
  suspended: GREY,
  stopped: GREY,
  done: GREY,
  failed: '#d32f2f'
};

/** Mark the browser's tab of a session's page: its name in the title, its state in the icon. */
export class TabMarks {
  constructor() {
    // JupyterLab rewrites the whole title whenever it changes.
    this._observer = new MutationObserver(() => this._showName());
    this._observer.observe(document.head, {
      childList: true,
      characterData: true,
      subtree: true
    });
  }

  /** Show which session it is, and how it is. */
  show({ session, isClosed }: IHere): void {
    this._name = session.spec.name;
    this._showName();
    const color = isClosed ? GREY : (lookUp(COLORS, session.state) ?? GREY);
    // JupyterLab swaps two links, one for busy kernels: each keeps its place and its class.
    document
      .querySelectorAll<HTMLLinkElement>('link.favicon, link[rel~="icon"]')
      .forEach(link => {
        const href = icon(color, link.classList.contains('busy'));
        if (link.href !== href) {
          link.type = 'image/svg+xml';
          link.href = href;
        }
      });
  }

  dispose(): void {
    this._observer.disconnect();
  }

  private _showName(): void {
    const title = this._name && titleHere(document.title, this._name);
    if (title && title !== document.title) {
      document.title = title;
    }
  }

  private _name = '';
  private _observer: MutationObserver;
}

/** Return the address of a device in a colour, half of it filled; with a dot while it is busy. */
function icon(color: string, isBusy: boolean): string {
  const busy = isBusy
    ? '<circle cx="12" cy="12" r="3.5" fill="#f57c00" stroke="#fff"/>'
    : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><g fill="${color}"><rect x="2" y="2" width="12" height="12" rx="2"/><path d="M4.5 0h2v16h-2zm5 0h2v16h-2zM0 4.5h16v2H0zm0 5h16v2H0z"/></g><path d="M5 5h3v6H5z" fill="#fff"/><path d="M8.5 5.5h2v5h-2z" fill="none" stroke="#fff"/>${busy}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
