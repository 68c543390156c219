import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator } from '@jupyterlab/translation';
import {
  CommandToolbarButton,
  SidePanel,
  Toolbar
} from '@jupyterlab/ui-components';
import { AccordionPanel, PanelLayout, Widget } from '@lumino/widgets';
import React from 'react';
import { CommandIDs } from '../../commands';
import { diagnose } from '../../state/setup';
import { ISection } from '../../tokens';
import { Failures } from '../parts/loaded';
import { SetupCard } from './setup';
import { Simulated } from '../parts/controls';
import { IUi, LiveWidget, useResult, useSimulated, useUi } from '../parts/ui';

const OPEN = 'jupyter-gpuquota:open-sections';

/** The panel: a head, and the registered sections. */
export class Sidebar extends SidePanel {
  constructor(
    private _ui: IUi,
    translator: ITranslator,
    private _state: IStateDB | null
  ) {
    super({ translator, toolbar: new Toolbar() });
    const { quota, sessions } = _ui.workspace;
    this._failures = new LiveWidget(
      _ui,
      <Failures resources={[quota, sessions]} />,
      []
    );
    this.addClass('jp-GpuQuota');
    this.addClass('jp-GpuQuota-sidebar');
    this._addHead();
    // Not in the header of a side panel: it is above the toolbar, and for titles in capitals.
    const layout = this.layout as PanelLayout;
    for (const widget of [this._makeSetup(), this._failures]) {
      layout.insertWidget(layout.widgets.length - 1, widget);
    }
    const accordion = this.content as AccordionPanel;
    accordion.expansionToggled.connect(this._onToggled, this);
    _ui.workspace.about.changed.connect(this._checkSetup, this);
    _ui.workspace.sections.changed.connect(this._addSections, this);
    this._checkSetup();
    void this._addSections();
  }

  dispose(): void {
    this._ui.workspace.about.changed.disconnect(this._checkSetup, this);
    this._ui.workspace.sections.changed.disconnect(this._addSections, this);
    super.dispose();
  }

  private _addHead(): void {
    const { commands, trans } = this._ui;
    const heading = new LiveWidget(this._ui, <Heading />, [
      this._ui.workspace.quota
    ]);
    heading.addClass('jp-GpuQuota-heading');
    this.toolbar.node.setAttribute('aria-label', trans.__('GPU Workspace'));
    this.toolbar.addItem('heading', heading);
    this.toolbar.addItem('spacer', Toolbar.createSpacerItem());
    for (const [id, label] of [
      [CommandIDs.launch, trans.__('Launch')],
      [CommandIDs.refresh, '']
    ]) {
      this.toolbar.addItem(
        id,
        new CommandToolbarButton({ commands, id, label })
      );
    }
  }

  private _makeSetup(): Widget {
    const useAnyway = () => {
      this._useAnyway = true;
      this._checkSetup();
    };
    const { about } = this._ui.workspace;
    const setup = new LiveWidget(
      this._ui,
      <CurrentSetup onUseAnyway={useAnyway} />,
      [about]
    );
    setup.addClass('jp-GpuQuota-setupFrame');
    return setup;
  }

  /** Show either the sections, or what keeps them from working. */
  private _checkSetup(): void {
    const diagnosis = diagnose(this._ui.workspace.about.result);
    const usable = diagnosis.kind === 'version' && diagnosis.usable;
    const works =
      ['fine', 'pending'].includes(diagnosis.kind) ||
      (usable && this._useAnyway);
    this.toggleClass('jp-mod-blocked', !works);
    this.content.setHidden(!works);
    this._failures.setHidden(!works);
  }

  private async _addSections(): Promise<void> {
    // One at a time, else two that are loaded at once could change places.
    this._adding = this._adding.then(async () => {
      this._dropSections();
      for (const section of this._ui.workspace.sections.items) {
        if (!this._sections.has(section.id)) {
          await this._addSection(section);
        }
      }
    });
    await this._adding;
  }

  private _dropSections(): void {
    const known = this._ui.workspace.sections.items.map(({ id }) => id);
    for (const [id, widget] of this._sections) {
      if (!known.includes(id)) {
        widget.dispose();
        this._sections.delete(id);
      }
    }
  }

  private async _addSection(section: ISection): Promise<void> {
    const widget = await section.create();
    if (this.isDisposed) {
      widget.dispose();
      return;
    }
    const open = await this._fetchOpen();
    const { items } = this._ui.workspace.sections;
    const index = items
      .filter(({ id }) => this._sections.has(id) || id === section.id)
      .findIndex(({ id }) => id === section.id);
    const accordion = this.content as AccordionPanel;
    this._sections.set(section.id, widget);
    accordion.insertWidget(index, widget);
    this._setSizes(() => true);
    if (!(open[section.id] ?? !section.isClosed)) {
      accordion.collapse(index);
      this._unsized.add(widget);
    }
  }

  private async _fetchOpen(): Promise<Record<string, boolean>> {
    return Object(await this._state?.fetch(OPEN)) as Record<string, boolean>;
  }

  private _setSizes(hasSize: (widget: Widget) => boolean): void {
    const sizes = this._ui.workspace.sections.items.flatMap(({ id, size }) => {
      const widget = this._sections.get(id);
      return widget ? [hasSize(widget) ? size : 0] : [];
    });
    (this.content as AccordionPanel).setRelativeSizes(sizes);
  }

  private _onToggled(accordion: AccordionPanel, index: number): void {
    const widget = accordion.widgets[index];
    // What was closed from the start has no size to return to.
    if (!widget.isHidden && this._unsized.delete(widget)) {
      this._setSizes(({ isHidden }) => !isHidden);
    }
    this._saveOpen();
  }

  private _saveOpen(): void {
    const open = [...this._sections].map(([id, { isHidden }]) => [
      id,
      !isHidden
    ]);
    void this._state?.save(OPEN, Object.fromEntries(open));
  }

  private _adding = Promise.resolve();
  private _failures: Widget;
  private _sections = new Map<string, Widget>();
  private _unsized = new WeakSet<Widget>();
  private _useAnyway = false;
}

/** The panel's name; simulated GPUs are marked here, once for all of its sections. */
function Heading(): JSX.Element {
  const { trans } = useUi();
  return useSimulated() ? (
    // The longer name and the mark leave no room for the buttons in a narrow sidebar.
    <>
      <h2>{trans.__('GPUs')}</h2>
      <Simulated trans={trans} />
    </>
  ) : (
    <h2>{trans.__('GPU Workspace')}</h2>
  );
}

function CurrentSetup(props: { onUseAnyway: () => void }): JSX.Element | null {
  const diagnosis = diagnose(useResult(useUi().workspace.about));
  return ['fine', 'pending'].includes(diagnosis.kind) ? null : (
    <SetupCard diagnosis={diagnosis} onUseAnyway={props.onUseAnyway} />
  );
}
