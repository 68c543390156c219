import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';
import { ApiError, asApiError } from '../api/errors';
import {
  ChangePreview,
  FieldProblem,
  Project,
  ProjectAnswer,
  ProjectRequest
} from '../api/models';
import { IAdministration } from '../tokens';
import {
  IProjectDraft,
  NEW_PROJECT,
  PROJECT_FIELDS,
  ProjectField,
  projectFieldOf,
  toProjectDraft,
  toProjectRequest
} from './projectdraft';

/** Be a field that the admin and somebody else have set to different things. */
export interface IConflict {
  readonly field: ProjectField;
  readonly theirs: string;
}

/** Fill in the form of a project: try it, then apply it. */
export class ProjectModel {
  /** `base` is the project that is changed, null to make one. */
  constructor(
    private _administration: IAdministration,
    private _trans: TranslationBundle,
    private _base: Project | null = null
  ) {
    this._draft = draftOf(_base);
  }

  get draft(): Readonly<IProjectDraft> {
    return this._draft;
  }

  get base(): Project | null {
    return this._base;
  }

  /** What is under way. */
  get busy(): '' | 'trying' | 'applying' | 'reloading' {
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
  get conflicts(): readonly IConflict[] {
    return this._conflicts;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether the form goes on from a project that others have changed. */
  get reloaded(): boolean {
    return this._reloaded;
  }

  /** Whether something was typed that leaving the form would lose. */
  get isDirty(): boolean {
    const before = draftOf(this._base);
    return PROJECT_FIELDS.some(name => this._draft[name] !== before[name]);
  }

  /** The first control of the form that has a problem. */
  get firstBroken(): ProjectField | undefined {
    return PROJECT_FIELDS.find(name => this.problemsOf(name).length);
  }

  problemsOf(control: ProjectField): FieldProblem[] {
    return this._problems.filter(
      ({ field }) => projectFieldOf(field) === control
    );
  }

  /** Problems of fields that the form does not have. */
  get otherProblems(): FieldProblem[] {
    return this._problems.filter(({ field }) => !projectFieldOf(field));
  }

  set(values: Partial<IProjectDraft>): void {
    this._draft = { ...this._draft, ...values };
    const names = Object.keys(values);
    this._problems = this._problems.filter(
      ({ field }) => !names.includes(projectFieldOf(field) ?? '')
    );
    this._effect = undefined;
    this._failure = undefined;
    this._changed.emit();
  }

  /** Ask what the change would do; the answer is in `effect`, or in what failed. */
  async try(): Promise<void> {
    await this._attempt('trying', async request => {
      this._effect = await this._preview(request);
    });
  }

  /** Make the change; returns undefined where it failed and the form now says why. */
  apply(): Promise<ProjectAnswer | undefined> {
    return this._attempt('applying', async request => {
      if (!this._base) {
        // A name that is none must be told of as such: as a path it would lead elsewhere.
        await this._preview(request);
      }
      return this._administration.put(request.name ?? '', request);
    });
  }

  /** Go on from the project as it is now; what was typed stays, what was not is taken over. */
  async reload(): Promise<void> {
    if (this._busy) {
      return;
    }
    const { projects } = this._administration;
    this._start('reloading');
    await projects.refresh();
    const { result } = projects;
    if (result.status === 'ready' && !result.error) {
      const name = this._draft.name.trim();
      const found = result.value.items.find(item => item.name === name);
      this._rebase(found ?? null);
    } else if (result.status !== 'pending') {
      this._failure = result.error;
    }
    this._finish();
  }

  private _rebase(project: Project | null): void {
    const before = draftOf(this._base);
    const now = project ? toProjectDraft(project) : before;
    const mine = this._draft;
    const isMine = (name: ProjectField) => mine[name] !== before[name];
    this._conflicts = PROJECT_FIELDS.filter(
      name =>
        isMine(name) && now[name] !== before[name] && now[name] !== mine[name]
    ).map(field => ({ field, theirs: now[field] }));
    this._draft = Object.fromEntries(
      PROJECT_FIELDS.map(name => [name, (isMine(name) ? mine : now)[name]])
    ) as unknown as IProjectDraft;
    this._base = project;
    this._reloaded = true;
  }

  private _preview(request: ProjectRequest): Promise<ChangePreview> {
    return this._administration.preview({ put: [request] });
  }

  private async _attempt<T>(
    busy: 'trying' | 'applying',
    send: (request: ProjectRequest) => Promise<T>
  ): Promise<T | undefined> {
    if (this._busy) {
      return undefined;
    }
    const { request, problems } = toProjectRequest(
      this._draft,
      this._base?.revision ?? 0,
      this._trans
    );
    this._start(busy);
    try {
      if (problems.length) {
        // All that is wrong is said at once: what the server finds, too.
        await this._preview(request);
        return undefined;
      }
      return await send(request);
    } catch (thrown) {
      this._failure = asApiError(thrown);
      return undefined;
    } finally {
      this._problems = [...problems, ...(this._failure?.fields ?? [])];
      this._finish();
    }
  }

  private _start(busy: 'trying' | 'applying' | 'reloading'): void {
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

  private _busy: '' | 'trying' | 'applying' | 'reloading' = '';
  private _changed = new Signal<this, void>(this);
  private _conflicts: readonly IConflict[] = [];
  private _draft: IProjectDraft;
  private _effect?: ChangePreview;
  private _failure?: ApiError;
  private _problems: FieldProblem[] = [];
  private _reloaded = false;
}

function draftOf(project: Project | null): IProjectDraft {
  return project ? toProjectDraft(project) : { ...NEW_PROJECT };
}
