import { History } from '../api/models';
import { read, Settings } from '../api/request';
import { routes } from '../api/routes';
import { IPastUse } from '../tokens';
import { IResource, Resource } from './resource';

/** How far back one may look, in hours. */
export const SPANS = [6, 24, 7 * 24, 30 * 24] as const;
/** The most points of time that are asked for: a chart has about as many pixels to spare. */
const POINTS = 240;

/** How GPUs were used in the last hours. */
export class PastUse implements IPastUse {
  /** `make` makes a resource out of its reader. */
  constructor(
    settings: Settings,
    make: (reader: Resource.IOptions<History>['read']) => IResource<History>
  ) {
    // No ETag: the same question has another answer for every span.
    this.history = make((_, background) =>
      read(settings, routes.historyGet, {
        query: { hours: this._hours, points: POINTS },
        background
      })
    );
  }

  readonly history: IResource<History>;

  get hours(): number {
    return this._hours;
  }

  look(hours: number): Promise<void> {
    this._hours = hours;
    return this.history.refresh();
  }

  private _hours = 24;
}
