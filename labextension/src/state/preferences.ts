import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ISignal, Signal } from '@lumino/signaling';
import { IPreferences, IPreferenceValues } from '../tokens';

/** What holds until the user's settings are there, and where there are none. */
export const DEFAULTS: Readonly<IPreferenceValues> = {
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
export class Preferences implements IPreferences {
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
