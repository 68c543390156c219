import { Aborted, ApiError, asApiError } from '../api/errors';
import { FieldProblem } from '../api/models';
import { FormModel } from './formmodel';

/** What sending a form would do, as far as that is known. */
export type Planned<Plan> =
  | { readonly status: 'pending' }
  | { readonly status: 'ready'; readonly plan: Plan }
  | { readonly status: 'error'; readonly error: ApiError };

/** A form that asks while the user types what sending it would do. */
export class PreviewedForm<Name extends string, Result, Plan> extends FormModel<
  Name,
  Result
> {
  /** `send` and `preview` throw ApiError; `delay` is that after typing, in milliseconds. */
  constructor(
    initial: Record<Name, string>,
    send: (draft: Readonly<Record<Name, string>>) => Promise<Result>,
    private _preview: (
      draft: Readonly<Record<Name, string>>,
      signal: AbortSignal
    ) => Promise<Plan>,
    private _delay = 200
  ) {
    super(initial, send);
    void this._ask();
  }

  get planned(): Planned<Plan> {
    return this._planned;
  }

  get plan(): Plan | undefined {
    return this._planned.status === 'ready' ? this._planned.plan : undefined;
  }

  /** Those of a refused form, and those that the preview has found. */
  problemsOf(name: Name): FieldProblem[] {
    const own = super.problemsOf(name);
    const found = this.found.filter(({ field }) => field === name);
    return own.length ? own : found;
  }

  set(values: Partial<Record<Name, string>>): void {
    super.set(values);
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._ask(), this._delay);
  }

  dispose(): void {
    window.clearTimeout(this._timer);
    this._asking?.abort();
    super.dispose();
  }

  /** What the preview has found wrong. */
  protected get found(): readonly FieldProblem[] {
    return this._planned.status === 'error' ? this._planned.error.fields : [];
  }

  private async _ask(): Promise<void> {
    this._asking?.abort();
    const asking = (this._asking = new AbortController());
    try {
      const plan = await this._preview(this.draft, asking.signal);
      this._answer(asking, { status: 'ready', plan });
    } catch (thrown) {
      if (!(thrown instanceof Aborted)) {
        this._answer(asking, { status: 'error', error: asApiError(thrown) });
      }
    }
  }

  private _answer(asking: AbortController, planned: Planned<Plan>): void {
    if (asking === this._asking && !this.isDisposed) {
      this._planned = planned;
      this.touch();
    }
  }

  private _asking?: AbortController;
  private _planned: Planned<Plan> = { status: 'pending' };
  private _timer?: number;
}
