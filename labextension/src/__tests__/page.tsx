import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { act, render, RenderResult, waitFor } from '@testing-library/react';
import React from 'react';
import { CommandIDs } from '../commands';
import { Store } from '../state/store';
import { IUi, UiProvider } from '../views/parts/ui';
import {
  makeAbout,
  makeGroups,
  makePage,
  makeQuota,
  makeRules
} from './builders';
import { FakeEvents, FakeServer } from './fakeserver';

/** What jsdom lacks: it lays nothing out, so that nothing changes its size or comes into sight. */
class NoObserver {
  disconnect(): void {}
  observe(): void {}
  unobserve(): void {}
  takeRecords(): [] {
    return [];
  }
}

window.ResizeObserver ??= NoObserver;
window.IntersectionObserver ??= NoObserver as never;
Element.prototype.scrollIntoView ??= () => undefined;
window.CSS ??= { escape: (text: string) => text } as never;

/** React says what is wrong with a view on the console only: here that is an error. */
const complaints: unknown[][] = [];
const say = console.error;
beforeEach(() => {
  complaints.length = 0;
  console.error = (...args: unknown[]) => {
    // Widgets draw by themselves, with no test around them.
    if (!String(args[0]).includes('not wrapped in act')) {
      complaints.push(args.map(String));
    }
  };
});
afterEach(() => {
  console.error = say;
  expect(complaints).toEqual([]);
});

/** Give an element the focus, as a user would. */
export function focus(element: HTMLElement): void {
  act(() => element.focus());
}

/**
 * Return the dialog that is open, once its content is drawn; jsdom takes it for closed, so that
 * roles do not find it.
 */
export function findDialog(): Promise<HTMLElement> {
  return waitFor(() => {
    const dialog = document.querySelector<HTMLElement>('.jp-Dialog');
    expect(dialog?.querySelector('.jp-Dialog-body')?.hasChildNodes()).toBe(
      true
    );
    expect(dialog?.querySelector('.jp-Dialog-footer button')).toBeTruthy();
    return dialog as HTMLElement;
  });
}

/** Press a button of a dialog. */
export function press(dialog: HTMLElement, label: string): void {
  const buttons = [...dialog.querySelectorAll('button')];
  const button = buttons.find(({ textContent }) => textContent === label);
  expect(button).toBeDefined();
  act(() => button?.click());
}

/** A page with a server behind it: a store, and commands that only record their calls. */
export class Page {
  constructor() {
    this.server.on('GET /about', { body: makeAbout() });
    this.server.on('GET /quota', { body: makeQuota() });
    this.server.on('GET /sessions', { body: makePage([]) });
    this.server.on('GET /environments', { body: { environments: [] } });
    this.server.on('GET /nodes', { body: { nodes: [] } });
    this.server.on('GET /rules', { body: makeRules() });
    this.server.on('GET /groups', { body: makeGroups() });
    for (const id of Object.values(CommandIDs)) {
      this.commands.addCommand(id, {
        label: id,
        describedBy: { args: null },
        execute: args => {
          this.executed.push([id, args.id ?? null]);
        }
      });
    }
  }

  readonly server = new FakeServer();
  readonly events = new FakeEvents();
  readonly store = new Store(this.server.settings, this.events);
  readonly commands = new CommandRegistry();
  readonly executed: [string, unknown][] = [];
  readonly trans = nullTranslator.load('jupyter_gpuquota');
  readonly ui: IUi = {
    workspace: this.store,
    commands: this.commands,
    trans: this.trans
  };

  /** Draw a view, and watch what views are wont to show. */
  show(view: JSX.Element): RenderResult {
    this.store.about.watch();
    this.store.quota.watch();
    this.store.sessions.watch();
    return render(<UiProvider ui={this.ui}>{view}</UiProvider>);
  }

  dispose(): void {
    this.store.dispose();
  }
}
