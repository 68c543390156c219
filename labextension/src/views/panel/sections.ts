import { IStateDB } from '@jupyterlab/statedb';
import { Widget } from '@lumino/widgets';
import { ISection } from '../../tokens';
import { IUi } from '../parts/ui';

/** A file of one section, loaded when the panel is first shown. */
interface ISectionModule {
  /** Make the section's widget; its `title.label` is the section's title. */
  create(ui: IUi, state: IStateDB | null): Widget;
}

interface IOwnSection extends Omit<ISection, 'create'> {
  load(): Promise<ISectionModule>;
}

/** The sections of our own. */
const SECTIONS: readonly IOwnSection[] = [
  {
    id: 'team',
    rank: 100,
    size: 4,
    load: () => import(/* webpackChunkName: "panel" */ './team')
  },
  {
    id: 'sessions',
    rank: 200,
    size: 7,
    load: () => import(/* webpackChunkName: "panel" */ './sessions')
  },
  {
    id: 'datasets',
    rank: 300,
    size: 9,
    isClosed: true,
    load: async () =>
      (await import(/* webpackChunkName: "panel" */ './storage')).datasets
  },
  {
    id: 'volumes',
    rank: 400,
    size: 7,
    isClosed: true,
    load: async () =>
      (await import(/* webpackChunkName: "panel" */ './storage')).volumes
  },
  {
    id: 'snapshots',
    rank: 500,
    size: 7,
    isClosed: true,
    load: async () =>
      (await import(/* webpackChunkName: "panel" */ './storage')).snapshots
  }
];

/** Register our own sections, as any other extension would register its own. */
export function addSections(ui: IUi, state: IStateDB | null): void {
  for (const { load, ...section } of SECTIONS) {
    ui.workspace.sections.add({
      ...section,
      create: async () => (await load()).create(ui, state)
    });
  }
}
