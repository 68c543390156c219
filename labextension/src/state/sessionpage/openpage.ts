import { UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { PageReport } from '../../api/models';

/** How often a page says that it is open, in milliseconds; browsers slow hidden pages down. */
const EVERY = 30_000;

/**
 * What tells the controller that this page is open, how far it is with saving, and that it goes.
 *
 * Reports are sent one after the other, so that the newest comes last; one that is lost is
 * followed by the next.
 */
export class OpenPage implements IDisposable {
  /** `send` sends a report of a page; `isLast` where the page does not live to see the answer. */
  constructor(
    private _send: (
      page: string,
      report: PageReport,
      isLast: boolean
    ) => Promise<unknown>
  ) {}

  /** Begin to report. */
  open(): void {
    this._timer = window.setInterval(this.again, EVERY);
    window.addEventListener('pagehide', this._onHide);
    window.addEventListener('pageshow', this._onShow);
    this._isOpen = true;
    this.again();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Report how things stand, now and until they change. */
  report(report: PageReport): void {
    this._report = report;
    this.again();
  }

  /** Report again how things stand, for example to a controller that has just begun. */
  again = (): void => {
    this._isStale = true;
    if (this._isOpen && !this._isSending) {
      void this._sendAll();
    }
  };

  dispose(): void {
    this._isDisposed = true;
    window.clearInterval(this._timer);
    window.removeEventListener('pagehide', this._onHide);
    window.removeEventListener('pageshow', this._onShow);
  }

  private async _sendAll(): Promise<void> {
    this._isSending = true;
    while (this._isStale) {
      this._isStale = false;
      await this._send(this._id, this._report, false).catch(noted);
    }
    this._isSending = false;
  }

  private _onHide = (): void => {
    this._send(this._id, { state: 'closed' }, true).catch(noted);
  };

  /** A page that comes back, as by the browser's Back, is another one than that which went. */
  private _onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) {
      this._id = UUID.uuid4();
      this.again();
    }
  };

  private _id = UUID.uuid4();

  private _isDisposed = false;
  private _isOpen = false;
  private _isSending = false;
  private _isStale = false;
  private _report: PageReport = { state: 'open' };
  private _timer?: number;
}

function noted(error: unknown): void {
  console.debug('The controller did not hear of this page:', error);
}
