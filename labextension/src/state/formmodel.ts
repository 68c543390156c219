import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { ApiError, asApiError } from '../api/errors';
import { FieldProblem } from '../api/models';

/** A short form: what was typed, and what the server says is wrong with it. */
export class FormModel<Name extends string, Result> implements IDisposable {
  /** `send` throws ApiError; the fields of its problems are those of the form. */
  constructor(
    initial: Record<Name, string>,
    private _send: (draft: Readonly<Record<Name, string>>) => Promise<Result>
  ) {
    this._initial = this._draft = initial;
  }

  get draft(): Readonly<Record<Name, string>> {
    return this._draft;
  }

  /** Why the last attempt failed, unless fields are to blame. */
  get failure(): ApiError | undefined {
    return this._problems.length ? undefined : this._failure;
  }

  /** Problems of fields that the form does not have. */
  get otherProblems(): FieldProblem[] {
    return this._problems.filter(
      ({ field }) => !(headOf(field) in this._draft)
    );
  }

  /** Whether something was typed that leaving the form would lose. */
  get isDirty(): boolean {
    const names = Object.keys(this._initial) as Name[];
    return names.some(name => this._draft[name] !== this._initial[name]);
  }

  get isSending(): boolean {
    return this._isSending;
  }

  /** How often it was refused. */
  get refusals(): number {
    return this._refusals;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  problemsOf(name: Name): FieldProblem[] {
    return this._problems.filter(({ field }) => headOf(field) === name);
  }

  set(values: Partial<Record<Name, string>>): void {
    this._draft = { ...this._draft, ...values };
    this._problems = this._problems.filter(
      ({ field }) => !(headOf(field) in values)
    );
    this._failure = undefined;
    this._changed.emit();
  }

  /** Send it; undefined where it is refused, and the form now says why. */
  send(): Promise<Result | undefined> {
    return this.attempt(this._send);
  }

  /** Ask the server for something else; undefined as for `send`. `ask` throws ApiError. */
  async attempt<Answer>(
    ask: (draft: Readonly<Record<Name, string>>) => Promise<Answer>
  ): Promise<Answer | undefined> {
    if (this._isSending) {
      return undefined;
    }
    this._isSending = true;
    this._failure = undefined;
    this._problems = [];
    this._changed.emit();
    try {
      return await ask(this._draft);
    } catch (thrown) {
      this._failure = asApiError(thrown);
      this._problems = this._failure.fields;
      this._refusals += 1;
      return undefined;
    } finally {
      this._isSending = false;
      this._changed.emit();
    }
  }

  /** Show what is wrong with it without sending it. */
  protected refuse(problems: readonly FieldProblem[]): void {
    this._problems = problems;
    this._refusals += 1;
    this._changed.emit();
  }

  /** Have the form drawn again. */
  protected touch(): void {
    this._changed.emit();
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _changed = new Signal<this, void>(this);
  private _draft: Record<Name, string>;
  private _failure?: ApiError;
  private readonly _initial: Readonly<Record<Name, string>>;
  private _isDisposed = false;
  private _isSending = false;
  private _problems: readonly FieldProblem[] = [];
  private _refusals = 0;
}

/** Return the field itself: `keep_daily` of `keep_daily[0]`. */
function headOf(field: string): string {
  return field.split(/[.[]/)[0];
}
