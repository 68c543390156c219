import { IDisposable } from '@lumino/disposable';
import React from 'react';
import { createRoot } from 'react-dom/client';
import { LiveNoun, LiveView } from './live';
import { IUi, UiProvider } from './ui';

const NOUNS: readonly string[] = ['quota', 'sessions', 'nodes'];

/**
 * Show a live view inside an element of the page until `signal` is aborted.
 *
 * What it shows is watched only while it is in sight. An element that names no noun of ours
 * keeps what the page put into it.
 */
export function showLive(
  host: HTMLElement,
  ui: IUi,
  signal: AbortSignal
): void {
  const noun = host.getAttribute('noun') ?? '';
  if (!NOUNS.includes(noun)) {
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
        noun={noun as LiveNoun}
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
      watchers = [ui.quota[noun as LiveNoun].watch()];
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
