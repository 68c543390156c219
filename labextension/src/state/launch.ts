import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { Aborted, ApiError, asApiError, isOutcomeUnknown } from '../api/errors';
import { FieldProblem, Preview, Session } from '../api/models';
import { ISessionActions } from '../tokens';
import { typedNumber } from './numbers';
import { controlOf, EMPTY, IDraft, toRequest } from './draft';

/** What the live line says. */
export type Verdict =
  | { readonly status: 'pending' }
  | { readonly status: 'ready'; readonly preview: Preview }
  | { readonly status: 'error'; readonly error: ApiError };

/** Fill in a launch form: what would become of it is asked while the user types. */
export class LaunchModel implements IDisposable {
  /** `delay` in milliseconds: how long the user must pause before the server is asked. */
  constructor(
    private _actions: Pick<ISessionActions, 'preview' | 'create'>,
    private _trans: TranslationBundle,
    initial: Partial<IDraft> = {},
    private _delay = 150
  ) {
    this._draft = { ...EMPTY, gpu: typedNumber(0.5), ...initial };
    this.ask();
  }

  get draft(): Readonly<IDraft> {
    return this._draft;
  }

  get verdict(): Verdict {
    return this._verdict;
  }

  /** Whether the request is on its way. */
  get submitting(): boolean {
    return this._submitting;
  }

  /** Why the last launch failed, unless fields are to blame. */
  get failure(): ApiError | undefined {
    return this._failure;
  }

  /** Whether the last launch may have been made although it failed. */
  get isUncertain(): boolean {
    return this._failure ? isOutcomeUnknown(this._failure) : false;
  }

  /** Return the session that a launch of uncertain outcome has made, if a list has it. */
  launched(sessions: readonly Session[], owner: string): Session | undefined {
    return this.isUncertain
      ? sessions.find(
          session =>
            session.owner === owner &&
            session.spec.name === this._draft.name.trim() &&
            !this._before.has(session.id)
        )
      : undefined;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Return the problems of one control, the browser's own findings first. */
  problemsOf(control: keyof IDraft): FieldProblem[] {
    return this._problems().filter(({ field }) => controlOf(field) === control);
  }

  /** The first control of the form that has a problem. */
  get firstBroken(): keyof IDraft | undefined {
    const names = Object.keys(EMPTY) as (keyof IDraft)[];
    return names.find(name => this.problemsOf(name).length);
  }

  /** The only problem, if there is no other. */
  get onlyProblem(): FieldProblem | undefined {
    const problems = this._problems();
    return problems.length === 1 ? problems[0] : undefined;
  }

  /** Problems of fields that the form does not have. */
  get otherProblems(): FieldProblem[] {
    return this._problems().filter(({ field }) => !controlOf(field));
  }

  set(values: Partial<IDraft>): void {
    this._draft = { ...this._draft, ...values };
    this._failure = undefined;
    this._refused = [];
    this.ask();
  }

  /** Request a new preview: the form or the machine has changed. */
  ask(): void {
    this._local = toRequest(this._draft, this._trans).problems;
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._ask(), this._delay);
    this._changed.emit();
  }

  /** Launch beside known sessions; returns undefined where it failed and the form now says why. */
  async submit(known: readonly Session[] = []): Promise<Session | undefined> {
    if (this._submitting || this._local.length) {
      return undefined;
    }
    if (!this.isUncertain) {
      this._before = new Set(known.map(({ id }) => id));
    }
    this._submitting = true;
    this._failure = undefined;
    this._changed.emit();
    try {
      return await this._actions.create(
        toRequest(this._draft, this._trans).request
      );
    } catch (thrown) {
      const error = asApiError(thrown);
      this._refused = error.fields;
      this._failure = error;
      return undefined;
    } finally {
      this._submitting = false;
      this._changed.emit();
    }
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._asking?.abort();
    Signal.clearData(this);
  }

  private async _ask(): Promise<void> {
    this._asking?.abort();
    const asking = (this._asking = new AbortController());
    const { request } = toRequest(this._draft, this._trans);
    try {
      const preview = await this._actions.preview(request, asking.signal);
      this._answer(asking, { status: 'ready', preview });
    } catch (thrown) {
      if (!(thrown instanceof Aborted)) {
        this._answer(asking, { status: 'error', error: asApiError(thrown) });
      }
    }
  }

  private _answer(asking: AbortController, verdict: Verdict): void {
    if (asking === this._asking && !this._isDisposed) {
      this._verdict = verdict;
      this._changed.emit();
    }
  }

  private _problems(): FieldProblem[] {
    const { verdict } = this;
    const found = [
      ...this._local,
      ...this._refused,
      ...(verdict.status === 'ready' ? verdict.preview.problems : []),
      ...(verdict.status === 'error' ? verdict.error.fields : [])
    ];
    // A refused launch and the preview after it find the same.
    return found.filter(
      (one, index) =>
        index ===
        found.findIndex(
          other => other.field === one.field && other.message === one.message
        )
    );
  }

  private _asking?: AbortController;
  private _before: ReadonlySet<string> = new Set();
  private _changed = new Signal<this, void>(this);
  private _draft: IDraft;
  private _failure?: ApiError;
  private _isDisposed = false;
  private _local: FieldProblem[] = [];
  private _refused: FieldProblem[] = [];
  private _submitting = false;
  private _timer?: number;
  private _verdict: Verdict = { status: 'pending' };
}
