import { IDisposable } from '@lumino/disposable';
import React from 'react';
import { createRoot } from 'react-dom/client';
import { isLiveNoun, LiveView } from './live';
import { IUi, UiProvider } from '../parts/ui';

/**
 * Show a live view inside an element of the page until `signal` is aborted.
 *
 * What it shows is watched only while it is visible. An element whose noun has no live
 * view keeps its content.
 */
export function showLive(
  host: HTMLElement,
  ui: IUi,
  signal: AbortSignal
): void {
  const noun = host.getAttribute('noun') ?? '';
  if (!isLiveNoun(noun)) {
    return;
  }
  const fallback = [...host.childNodes];
  const place = document.createElement('div');
  place.className = 'jp-GpuQuota jp-GpuQuota-live';
  host.replaceChildren(place);
  const root = createRoot(place);
  root.render(
    <UiProvider ui={ui}>
      <LiveView
        noun={noun}
        project={host.getAttribute('project') ?? ''}
        session={host.getAttribute('session') ?? ''}
      />
    </UiProvider>
  );
  let watchers: IDisposable[] = [];
  const unwatch = () => {
    watchers.forEach(watcher => watcher.dispose());
    watchers = [];
  };
  const observer = new IntersectionObserver(entries => {
    unwatch();
    if (entries.at(-1)?.isIntersecting) {
      watchers = [ui.workspace[noun].watch()];
    }
  });
  observer.observe(host);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    unwatch();
    root.unmount();
    host.replaceChildren(...fallback);
  });
}
