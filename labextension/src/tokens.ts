import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import type {
  About,
  Activity,
  Advice,
  ChangePreview,
  Environments,
  Groups,
  History,
  LogChunk,
  LogQuery,
  Message,
  Nodes,
  PageAuditEntry,
  PageReport,
  Policy,
  PolicyRequest,
  Preview,
  ProjectAnswer,
  ProjectRemoval,
  ProjectRequest,
  Projects,
  Quota,
  ResizeRequest,
  RunList,
  Rules,
  Session,
  SessionPolicy,
  SessionRequest,
  SettingsText,
  SettingsTextRequest
} from './api/models';
import type { Params } from './api/request';
import type { Nouns, Route } from './api/routes';
import type { IResource } from './state/resource';

/** All sessions; `total` counts those, too, that a very long list leaves out. */
export interface ISessions {
  readonly items: readonly Session[];
  readonly total: number;
}

/** What can be done to sessions. Everything throws ApiError. */
export interface ISessionActions {
  create(request: SessionRequest): Promise<Session>;
  preview(request: SessionRequest, signal: AbortSignal): Promise<Preview>;
  /** The owner sees the `reason`, and who gave it. */
  stop(id: string, reason?: string): Promise<Session>;
  suspend(id: string, reason?: string): Promise<Session>;
  resume(id: string): Promise<Session>;
  delete(id: string): Promise<void>;
  /** Postpone its idle end by `span`, or by as much as the policy allows. */
  keepAlive(id: string, span?: string): Promise<Session>;
  /** Return what is known of its activity; `background` for reads that no user started. */
  activity(id: string, background?: boolean): Promise<Activity>;
  /** Return the policy's rules for it, and which level decided each. */
  policy(id: string, background?: boolean): Promise<SessionPolicy>;
  /** Return its recommended share; `background` for reads that no user started. */
  advice(id: string, background?: boolean): Promise<Advice>;
  /** Return its runs in MLflow; `background` for reads that no user started. */
  runs(id: string, background?: boolean): Promise<RunList>;
  /** Start it again with another share; one that runs is stopped first. */
  resize(id: string, request: ResizeRequest): Promise<Session>;
  log(id: string, query: LogQuery, signal: AbortSignal): Promise<LogChunk>;
  /** Report the state of a session's page; `isLast` if the page closes before the answer arrives. */
  putPage(
    id: string,
    page: string,
    report: PageReport,
    isLast: boolean
  ): Promise<void>;
  /** The address under which this JupyterLab shows a session, or one of its other ports. */
  url(session: Session, port?: number): string;
}

/** One section of the GPU workspace's panel. */
export interface ISection {
  /** Stable: under it the panel remembers whether the section is open. */
  readonly id: string;
  /** Lower comes first; Team is 100, Sessions 200. */
  readonly rank: number;
  /** How much of the panel's height it wants, against the other sections. */
  readonly size: number;
  /** Whether it is closed until the user opens it. */
  readonly isClosed?: boolean;
  /** Make the widget; its `title.label` is the section's title. */
  create(): Widget | Promise<Widget>;
}

/** How GPUs were used over time. */
export interface IPastUse {
  readonly history: IResource<History>;
  /** How far back `history` reaches. */
  readonly hours: number;
  /** Read so many hours instead. */
  look(hours: number): Promise<void>;
}

/** What admins have set, and what they do to it. Every call throws ApiError. */
export interface IAdministration {
  readonly projects: IResource<Projects>;
  /** What holds for all projects. */
  readonly rules: IResource<Rules>;
  readonly groups: IResource<Groups>;
  /** What becomes of idle sessions. */
  readonly policy: IResource<Policy>;
  /** Who changed what, newest first; for admins only. */
  readonly audit: IResource<PageAuditEntry>;
  /** Return what a change of a project would do. */
  preview(request: ProjectRequest): Promise<ChangePreview>;
  put(name: string, request: ProjectRequest): Promise<ProjectAnswer>;
  delete(name: string, removal: ProjectRemoval): Promise<ProjectAnswer>;
  /** Return all that is set, as the text of a quota file. */
  text(): Promise<SettingsText>;
  /** Set it all by such a text. */
  putText(request: SettingsTextRequest): Promise<SettingsText>;
  /** Set the whole policy. */
  putPolicy(request: PolicyRequest): Promise<Policy>;
  /** Return how many sessions a policy would have ended over the last week. */
  previewPolicy(request: PolicyRequest): Promise<Message>;
}

/** What the user has deleted, and may still undo. */
export interface IRemovals {
  /** The time to undo, in milliseconds. */
  readonly delay: number;
  readonly changed: ISignal<IRemovals, void>;
  isShown(item: { id: string }): boolean;
  /** Hide it now, delete it later; resolves to whether it was deleted. */
  remove(id: string): Promise<boolean>;
  undo(id: string): void;
}

/** What the panel is made of. */
export interface ISections {
  readonly items: readonly ISection[];
  readonly changed: ISignal<ISections, void>;
  add(section: ISection): IDisposable;
}

/** What the user has set; see `schema/plugin.json`. */
export interface IPreferences {
  readonly values: Readonly<IPreferenceValues>;
  readonly changed: ISignal<IPreferences, void>;
  set<K extends keyof IPreferenceValues>(
    name: K,
    value: IPreferenceValues[K]
  ): Promise<void>;
}

export interface IPreferenceValues {
  pollInterval: number;
  statusItem: boolean;
  showEnded: boolean;
  confirmStop: boolean;
  notifyReady: boolean;
  notifyFailed: boolean;
  notifyWaiting: boolean;
  notifyReclaimed: boolean;
  notifyEnding: boolean;
  notifyEnded: boolean;
  notifyIdle: boolean;
  notifyTrainings: boolean;
}

/**
 * What `IGpuWorkspace.resource` reads. The other nouns take a query and have readers of their own:
 * `sessions`, `past.history` and `administration.audit`.
 */
export type Readable = Exclude<keyof Nouns, 'sessions' | 'history' | 'audit'>;

/** The GPU workspace, for its own parts and for other extensions. */
export interface IGpuWorkspace {
  /** The id of the session whose JupyterLab this is; empty outside sessions. */
  readonly here: string;
  /** The address of the JupyterLab that shows sessions; inside a session not that of its own. */
  readonly jupyterLab: string;
  readonly about: IResource<About>;
  readonly sessions: IResource<ISessions>;
  readonly quota: IResource<Quota>;
  readonly nodes: IResource<Nodes>;
  readonly environments: IResource<Environments>;
  readonly past: IPastUse;
  readonly administration: IAdministration;
  readonly actions: ISessionActions;
  readonly removals: IRemovals;
  readonly sections: ISections;
  readonly preferences: IPreferences;
  /** Call a route of the REST interface. Throws ApiError, or Aborted after its signal. */
  call<Args, Query, Body, Response>(
    route: Route<Args, Query, Body, Response>,
    params: Params<Args, Query, Body>
  ): Promise<Response>;
  /** Return a noun of the REST interface as a resource; the same one on every call. */
  resource<Noun extends Readable>(noun: Noun): IResource<Nouns[Noun]>;
  /** Emitted with the id of a session that the list is to show and focus. */
  readonly revealed: ISignal<IGpuWorkspace, string>;
  /** Show and focus a session in the list, now or once it is loaded. */
  reveal(id: string): void;
  /** Return, once, which session is to be shown, if no list has done so yet. */
  takeRevealed(): string | null;
  /** Find a session in what is known. */
  session(id: string): Session | undefined;
  /** Read again what the panel shows. */
  refresh(): Promise<void>;
}

export const IGpuWorkspace = new Token<IGpuWorkspace>(
  'jupyter-gpuquota:IGpuWorkspace',
  'Sessions on a fraction of a GPU: their state, what can be done to them, and the sections of the panel.'
);
