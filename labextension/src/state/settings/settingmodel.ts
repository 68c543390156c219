import { ISignal, Signal } from '@lumino/signaling';
import { ApiError, asApiError } from '../../api/errors';
import {
  ChangePreview,
  FieldProblem,
  PolicyRequest,
  ProjectRequest
} from '../../api/models';

/** A change of what is set: of a project, or of the policy as a whole. */
export interface IChange {
  readonly project?: ProjectRequest;
  readonly policy?: PolicyRequest;
}

/** A form as it is filled in: what the admin typed, unread. */
export type Draft<Field extends string> = Readonly<Record<Field, string>>;

/**
 * A kind of setting: how it is typed, sent and read again.
 *
 * `Base` is what is there when a form is begun, or that there is nothing yet. What calls the
 * server throws ApiError.
 */
export interface ISubject<Field extends string, Base> {
  /** In the order of the form. */
  readonly fields: readonly Field[];
  /** Return whether it exists; if not, it is created. */
  isThere(base: Base): boolean;
  /** Write it as an admin would type it. */
  draftOf(base: Base): Draft<Field>;
  /** Return what a draft that was made from a base asks for. */
  read(draft: Draft<Field>, base: Base): IChange;
  /** Return the control of the form that a field of the wire belongs to. */
  fieldOf(wire: string, base: Base): Field | undefined;
  /** Look at it as it is now. */
  find(draft: Draft<Field>, base: Base): Promise<Base>;
  /** Return what a change would do. */
  preview(change: IChange): Promise<ChangePreview>;
  /** Make the change. */
  put(change: IChange, base: Base): Promise<unknown>;
}

/** A field that the admin and another user have set to different values. */
export interface IConflict<Field extends string> {
  readonly field: Field;
  readonly theirs: string;
}

/** What a form is busy with. */
export type Busy = '' | 'trying' | 'applying' | 'reloading';

/** Fill in the form of something that admins set: try it, then apply it. */
export class SettingModel<Field extends string, Base = unknown> {
  constructor(
    private _subject: ISubject<Field, Base>,
    private _base: Base
  ) {
    this._draft = _subject.draftOf(_base);
    this._wasThere = _subject.isThere(_base);
  }

  get draft(): Draft<Field> {
    return this._draft;
  }

  /** What the form was made from, or goes on from. */
  get base(): Base {
    return this._base;
  }

  /** In the order of the form. */
  get fields(): readonly Field[] {
    return this._subject.fields;
  }

  /** Whether something that is there is changed; if not, it is made. */
  get isThere(): boolean {
    return this._subject.isThere(this._base);
  }

  /** Whether what was to be changed is there no more. */
  get isGone(): boolean {
    return this._wasThere && !this.isThere;
  }

  get busy(): Busy {
    return this._busy;
  }

  /** What the change as it stands would do, where that was tried. */
  get effect(): ChangePreview | undefined {
    return this._effect;
  }

  /** Why the last attempt failed, unless fields are to blame. */
  get failure(): ApiError | undefined {
    return this._failure?.fields.length ? undefined : this._failure;
  }

  /** Where others were quicker: what they have set otherwise. */
  get conflicts(): readonly IConflict<Field>[] {
    return this._conflicts;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether the form goes on from something that others have changed. */
  get reloaded(): boolean {
    return this._reloaded;
  }

  /** Whether something was typed that leaving the form would lose. */
  get isDirty(): boolean {
    const before = this._subject.draftOf(this._base);
    return this.fields.some(name => this._draft[name] !== before[name]);
  }

  /** The first control of the form that has a problem. */
  get firstBroken(): Field | undefined {
    return this.fields.find(name => this.problemsOf(name).length);
  }

  problemsOf(control: Field): FieldProblem[] {
    return this._problems.filter(problem => this._fieldOf(problem) === control);
  }

  /** Problems of fields that the form does not have. */
  get otherProblems(): FieldProblem[] {
    return this._problems.filter(problem => !this._fieldOf(problem));
  }

  set(values: Partial<Draft<Field>>): void {
    this._draft = { ...this._draft, ...values };
    this._problems = this._problems.filter(problem => {
      const name = this._fieldOf(problem);
      return !name || !(name in values);
    });
    this._effect = undefined;
    this._failure = undefined;
    this._changed.emit();
  }

  /** Preview the change; the answer is in `effect`, or in what failed. */
  async try(): Promise<void> {
    await this._attempt('trying', async change => {
      this._effect = await this._subject.preview(change);
    });
  }

  /** Make the change; resolves to whether it was made: if not, the form now says why. */
  apply(): Promise<boolean> {
    return this._attempt('applying', async change => {
      await this._subject.put(change, this._base);
    });
  }

  /** Go on from how it is now; what was typed stays, what was not is taken over. */
  async reload(): Promise<void> {
    if (this._busy) {
      return;
    }
    this._start('reloading');
    try {
      this._rebase(await this._subject.find(this._draft, this._base));
    } catch (thrown) {
      this._failure = asApiError(thrown);
    } finally {
      this._finish();
    }
  }

  private _rebase(base: Base): void {
    const subject = this._subject;
    const before = subject.draftOf(this._base);
    const now = subject.isThere(base) ? subject.draftOf(base) : before;
    const mine = this._draft;
    const isMine = (name: Field) => mine[name] !== before[name];
    this._conflicts = this.fields
      .filter(
        name =>
          isMine(name) && now[name] !== before[name] && now[name] !== mine[name]
      )
      .map(field => ({ field, theirs: now[field] }));
    this._draft = Object.fromEntries(
      this.fields.map(name => [name, (isMine(name) ? mine : now)[name]])
    ) as Record<Field, string>;
    this._base = base;
    this._wasThere ||= subject.isThere(base);
    this._reloaded = true;
  }

  private _fieldOf({ field }: FieldProblem): Field | undefined {
    return this._subject.fieldOf(field, this._base);
  }

  /** Resolves to whether it was not refused. */
  private async _attempt(
    busy: 'trying' | 'applying',
    send: (change: IChange) => Promise<void>
  ): Promise<boolean> {
    if (this._busy) {
      return false;
    }
    this._start(busy);
    try {
      await send(this._subject.read(this._draft, this._base));
    } catch (thrown) {
      this._failure = asApiError(thrown);
    }
    this._problems = this._failure?.fields ?? [];
    this._finish();
    return !this._failure;
  }

  private _start(busy: Busy): void {
    this._busy = busy;
    this._failure = undefined;
    this._effect = undefined;
    this._reloaded = false;
    this._conflicts = [];
    this._changed.emit();
  }

  private _finish(): void {
    this._busy = '';
    this._changed.emit();
  }

  private _busy: Busy = '';
  private _changed = new Signal<this, void>(this);
  private _conflicts: readonly IConflict<Field>[] = [];
  private _draft: Draft<Field>;
  private _effect?: ChangePreview;
  private _failure?: ApiError;
  private _problems: readonly FieldProblem[] = [];
  private _reloaded = false;
  private _wasThere: boolean;
}
