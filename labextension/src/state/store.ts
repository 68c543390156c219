import { Event } from '@jupyterlab/services';
import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { outerUrl, sessionOf } from '../api/addresses';
import { Changes } from '../api/events';
import {
  About,
  Change,
  Environments,
  Nodes,
  Quota,
  Session
} from '../api/models';
import { call, Params, read, Settings } from '../api/request';
import { Nouns, nouns, Route, routes } from '../api/routes';
import {
  IGpuWorkspace,
  IPreferences,
  IPreferenceValues,
  IRemovals,
  ISection,
  ISections,
  ISessionActions,
  ISessions,
  Readable
} from '../tokens';
import { Administration } from './settings/administration';
import { PastUse } from './history';
import { Removals } from './removals';
import { Resource } from './resource';
import { sessionsReader } from './lists/sessions';
import { SessionActions } from './sessions';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

/** What this page knows of the server, kept up to date. */
export class Store implements IGpuWorkspace, IDisposable {
  constructor(
    private _settings: Settings,
    events: Event.IManager
  ) {
    const settings = _settings;
    this.here = sessionOf(settings.baseUrl);
    this.jupyterLab = outerUrl(settings, 'lab');
    this.about = this.resource('about');
    this.quota = this.resource('quota');
    this.nodes = this.resource('nodes');
    this.environments = this.resource('environments');
    this.past = new PastUse(settings, reader =>
      this._add(routes.historyGet, reader)
    );
    this.sessions = this._add(routes.sessionsList, sessionsReader(settings));
    this.actions = new SessionActions(settings, () => {
      this.sessions.invalidate();
      this.quota.invalidate();
    });
    this.administration = new Administration(
      settings,
      (route, reader) => this._add(route, reader),
      () => this.quota.invalidate()
    );
    for (const noun of ['projects', 'rules', 'groups', 'policy'] as const) {
      this._nouns.set(noun, this.administration[noun]);
    }
    this.removals = this._removals = new Removals(async id => {
      await this.actions.delete(id);
      await this.sessions.refresh();
    });
    this._changes = new Changes(events);
    this._changes.changed.connect(this._onChange, this);
    this.preferences.changed.connect(this._onPreferences, this);
  }

  readonly here: string;
  readonly jupyterLab: string;
  readonly about: Resource<About>;
  readonly sessions: Resource<ISessions>;
  readonly quota: Resource<Quota>;
  readonly nodes: Resource<Nodes>;
  readonly environments: Resource<Environments>;
  readonly past: PastUse;
  readonly administration: Administration;
  readonly actions: ISessionActions;
  readonly removals: IRemovals;
  readonly sections = new Sections();
  readonly preferences = new Preferences();

  get revealed(): ISignal<this, string> {
    return this._revealed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  call<Args, Query, Body, Response>(
    route: Route<Args, Query, Body, Response>,
    params: Params<Args, Query, Body>
  ): Promise<Response> {
    return call(this._settings, route, params);
  }

  resource<Noun extends Readable>(noun: Noun): Resource<Nouns[Noun]> {
    const known = this._nouns.get(noun);
    if (known) {
      return known as Resource<Nouns[Noun]>;
    }
    const route = nouns[noun];
    // What has no revision of its own, as warnings in `about`, is told of by its name.
    const told = { ...route, noun: route.noun || noun };
    const made = this._add<Nouns[Noun]>(told, (etag, background) =>
      read(this._settings, route, { etag, background })
    );
    this._nouns.set(noun, made);
    return made;
  }

  reveal(id: string): void {
    this._toReveal = id;
    this._revealed.emit(id);
  }

  takeRevealed(): string | null {
    const id = this._toReveal;
    this._toReveal = null;
    return id;
  }

  session(id: string): Session | undefined {
    const { result } = this.sessions;
    return result.status === 'ready'
      ? result.value.items.find(item => item.id === id)
      : undefined;
  }

  async refresh(): Promise<void> {
    await Promise.all(
      [this.about, this.sessions, this.quota].map(item => item.refresh())
    );
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._changes.dispose();
    this._removals.dispose();
    this._resources.forEach(({ resource }) => resource.dispose());
    Signal.clearData(this);
  }

  private _add<T>(
    { name, noun }: { name: string; noun: string },
    reader: Resource.IOptions<T>['read']
  ): Resource<T> {
    const resource = new Resource<T>({
      name,
      interval: this.preferences.values.pollInterval * 1000,
      read: reader
    });
    this._resources.push({ noun, resource });
    return resource;
  }

  private _onChange(_: Changes, change: Change): void {
    const isRestarted = change.instance !== this._instance;
    this._instance = change.instance;
    for (const { noun, resource } of this._resources) {
      // Another instance: documents without a revision may have changed, too.
      if (noun === change.noun || isRestarted) {
        resource.invalidate();
      }
    }
  }

  private _onPreferences(): void {
    const interval = this.preferences.values.pollInterval * 1000;
    this._resources.forEach(({ resource }) => {
      resource.interval = interval;
    });
  }

  private _changes: Changes;
  private _instance = '';
  private _isDisposed = false;
  private _nouns = new Map<Readable, unknown>();
  private _removals: Removals;
  private _resources: { noun: string; resource: Resource<unknown> }[] = [];
  private _revealed = new Signal<this, string>(this);
  private _toReveal: string | null = null;
}

/** What holds until the user's settings are there, and where there are none. */
const DEFAULTS: Readonly<IPreferenceValues> = {
  pollInterval: 30,
  statusItem: true,
  showEnded: true,
  confirmStop: true,
  notifyReady: true,
  notifyFailed: true,
  notifyWaiting: true,
  notifyReclaimed: true,
  notifyEnding: true,
  notifyEnded: true,
  notifyIdle: true,
  notifyTrainings: false
};

/** The user's settings. */
class Preferences implements IPreferences {
  get values(): Readonly<IPreferenceValues> {
    return this._values;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Follow the user's settings from now on. */
  bind(settings: ISettingRegistry.ISettings): void {
    this._settings = settings;
    settings.changed.connect(this._update, this);
    this._update();
  }

  async set<K extends keyof IPreferenceValues>(
    name: K,
    value: IPreferenceValues[K]
  ): Promise<void> {
    if (this._settings) {
      await this._settings.set(name, value);
    } else {
      this._values = { ...this._values, [name]: value };
      this._changed.emit();
    }
  }

  private _update(): void {
    this._values = {
      ...DEFAULTS,
      ...(this._settings?.composite as Partial<IPreferenceValues>)
    };
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _settings?: ISettingRegistry.ISettings;
  private _values: Readonly<IPreferenceValues> = DEFAULTS;
}

/** The panel's sections, ours and those of other extensions. */
export class Sections implements ISections {
  /** All sections, in the order of their ranks. */
  get items(): readonly ISection[] {
    return this._items;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  add(section: ISection): IDisposable {
    if (this._items.some(item => item.id === section.id)) {
      throw new Error(`There is a section ${section.id} already.`);
    }
    this._items = [...this._items, section].sort((a, b) => a.rank - b.rank);
    this._changed.emit();
    return new DisposableDelegate(() => {
      this._items = this._items.filter(item => item !== section);
      this._changed.emit();
    });
  }

  private _changed = new Signal<this, void>(this);
  private _items: readonly ISection[] = [];
}
