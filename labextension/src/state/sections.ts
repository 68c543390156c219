import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';
import { ISection, ISections } from '../tokens';

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
