import { MainAreaWidget } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { IDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import React, {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore
} from 'react';
import { asApiError } from '../../api/errors';
import { IResource, LOOKED_AT, Result } from '../../state/resource';
import { IGpuWorkspace } from '../../tokens';

/** What every view is given. */
export interface IUi {
  readonly workspace: IGpuWorkspace;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
}

const Ui = createContext<IUi | null>(null);

/** Give views what they need. */
export function UiProvider(props: {
  ui: IUi;
  children: React.ReactNode;
}): JSX.Element {
  return <Ui.Provider value={props.ui}>{props.children}</Ui.Provider>;
}

export function useUi(): IUi {
  const ui = useContext(Ui);
  if (!ui) {
    throw new Error('A view stands outside of UiProvider.');
  }
  return ui;
}

/** Follow a resource. Someone else has to watch it: `LiveWidget` does while it is visible. */
export function useResult<T>(resource: IResource<T>): Result<T> {
  return useSyncExternalStore(
    changed => {
      resource.changed.connect(changed);
      return () => {
        resource.changed.disconnect(changed);
      };
    },
    () => resource.result
  );
}

/**
 * Ask something, and again whenever `key` changes; an answer to what was asked before is dropped.
 *
 * Without a key nothing is asked, and the result stays pending.
 */
export function useAnswer<T>(key: string, ask: () => Promise<T>): Result<T> {
  const [known, setKnown] = useState<{ key: string; result: Result<T> }>();
  useEffect(() => {
    let isGone = !key;
    const put = (result: Result<T>) => {
      if (!isGone) {
        setKnown({ key, result });
      }
    };
    if (key) {
      ask().then(
        value => put({ status: 'ready', value }),
        thrown => put({ status: 'error', error: asApiError(thrown) })
      );
    }
    return () => {
      isGone = true;
    };
  }, [key]);
  return known?.key === key ? known.result : { status: 'pending' };
}

/** Draw again whenever a signal is emitted. */
export function useSignal<S, A>(signal: ISignal<S, A>): void {
  useSignals([signal]);
}

/** Draw again whenever one of several signals is emitted. */
export function useSignals<S, A>(signals: readonly ISignal<S, A>[]): void {
  const [, setCount] = useState(0);
  // Not useEffect: it runs after the browser has painted, and what is typed until then into a field
  // that has the focus would be set back to what was drawn.
  useLayoutEffect(() => {
    const onSignal = () => setCount(count => count + 1);
    signals.forEach(signal => signal.connect(onSignal));
    return () => {
      signals.forEach(signal => signal.disconnect(onSignal));
    };
  }, signals);
}

/** Return the name of the user who asks; empty while it is not known. */
export function useMe(): string {
  const about = useResult(useUi().workspace.about);
  return about.status === 'ready' ? about.value.user : '';
}

/** Return whether the GPUs are simulated; false while it is not known. */
export function useSimulated(): boolean {
  const quota = useResult(useUi().workspace.quota);
  return quota.status === 'ready' && quota.value.simulated;
}

/** Return the time, and draw again every `period` milliseconds. */
export function useNow(period: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), period);
    return () => window.clearInterval(timer);
  }, [period]);
  return now;
}

/**
 * Return whether what has the focus is in an element or around it. Elsewhere, as in a menu or in a
 * notebook, the user has gone on, and what arrives late must not take the focus.
 */
export function isNear(element: Element | null): boolean {
  const focused = document.activeElement ?? document.body;
  return (
    element !== null && (focused.contains(element) || element.contains(focused))
  );
}

/** Show a view, and have resources kept up to date while it is visible. */
export class LiveWidget extends ReactWidget {
  constructor(
    private _ui: IUi,
    private _element: JSX.Element,
    private _watched: readonly IResource<unknown>[],
    private _gap = LOOKED_AT
  ) {
    super();
    this.addClass('jp-GpuQuota');
  }

  dispose(): void {
    this._unwatch();
    super.dispose();
  }

  protected render(): JSX.Element {
    return <UiProvider ui={this._ui}>{this._element}</UiProvider>;
  }

  protected onAfterAttach(
    msg: Parameters<ReactWidget['onAfterAttach']>[0]
  ): void {
    super.onAfterAttach(msg);
    this._watch();
  }

  protected onAfterShow(): void {
    this._watch();
  }

  protected onAfterHide(): void {
    this._unwatch();
  }

  protected onBeforeDetach(
    msg: Parameters<ReactWidget['onAfterAttach']>[0]
  ): void {
    this._unwatch();
    super.onBeforeDetach(msg);
  }

  private _watch(): void {
    if (this.isVisible && !this._watchers.length) {
      this._watchers = this._watched.map(item => item.watch(this._gap));
    }
  }

  private _unwatch(): void {
    this._watchers.forEach(watcher => watcher.dispose());
    this._watchers = [];
  }

  private _watchers: IDisposable[] = [];
}

/** Put a view into the main area, without a toolbar, which would be empty. */
export function inMain<T extends Widget>(content: T): MainAreaWidget<T> {
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide();
  return widget;
}
