import { DisposableDelegate, IDisposable } from '@lumino/disposable';

/** Milliseconds in which a page of JupyterLab that is open answers. */
const ANSWERS = 300;
/** What the address of JupyterLab says of the session that it is to show. */
const PARAMETER = 'reveal';

/** A session that a page of the same browser is to show, or shows now. */
interface IReveal {
  /** The address of the JupyterLab that is meant: an origin may have several. */
  readonly lab: string;
  readonly id: string;
  readonly isShown?: boolean;
}

const open = () => new BroadcastChannel('jupyter-gpuquota:reveal');

/** Return the address at which JupyterLab shows a session. */
export function revealUrl(lab: string, id: string): string {
  return `${lab}?${PARAMETER}=${encodeURIComponent(id)}`;
}

/** Return which session the page's address asks for, and take that out of the address. */
export function takeRevealed(page: Window): string {
  const url = new URL(page.location.href);
  const id = url.searchParams.get(PARAMETER) ?? '';
  if (id) {
    url.searchParams.delete(PARAMETER);
    page.history.replaceState(page.history.state, '', url);
  }
  return id;
}

/** Have a page of JupyterLab that is open show a session; resolves to whether one does. */
export function askToReveal(lab: string, id: string): Promise<boolean> {
  const channel = open();
  return new Promise<boolean>(resolve => {
    const timer = setTimeout(() => resolve(false), ANSWERS);
    channel.onmessage = ({ data }: MessageEvent<IReveal>) => {
      if (data.isShown && data.lab === lab && data.id === id) {
        clearTimeout(timer);
        resolve(true);
      }
    };
    channel.postMessage({ lab, id });
  }).finally(() => channel.close());
}

/** Show the sessions that other pages ask for. */
export function answerReveals(
  lab: string,
  reveal: (id: string) => void
): IDisposable {
  const channel = open();
  channel.onmessage = ({ data }: MessageEvent<IReveal>) => {
    if (!data.isShown && data.lab === lab) {
      reveal(data.id);
      channel.postMessage({ ...data, isShown: true });
    }
  };
  return new DisposableDelegate(() => channel.close());
}
