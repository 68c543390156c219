import { Session } from '../../api/models';

/** A session that runs again, and since when. */
export interface IRestart {
  name: string;
  at: string;
}

/** What a tab reports after it was reloaded for a session that is running again. */
export class Restarted {
  constructor(
    private readonly _storage: Storage,
    session: string
  ) {
    this._key = `jupyter-gpuquota:restarted:${session}`;
  }

  /** Note that the page is about to be reloaded. */
  note({ spec, since }: Session): void {
    const restart: IRestart = { name: spec.name, at: since };
    try {
      this._storage.setItem(this._key, JSON.stringify(restart));
    } catch (error) {
      console.warn('The restart cannot be remembered for the page:', error);
    }
  }

  /** Return the restart for which the page was reloaded, until the user has dismissed it. */
  get last(): IRestart | null {
    const text = this._storage.getItem(this._key) ?? 'null';
    try {
      return JSON.parse(text) as IRestart | null;
    } catch {
      return null; // somebody else's text
    }
  }

  /** Forget it: the user has read it. */
  dismiss(): void {
    this._storage.removeItem(this._key);
  }

  private readonly _key: string;
}
