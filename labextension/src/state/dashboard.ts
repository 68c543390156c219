import {
  Device,
  DeviceUse,
  ProjectUse,
  Session,
  SliceUse
} from '../api/models';

/** What a project has of the whole, in milli-GPU, drawn as one bar. */
export interface IBar {
  readonly right: number;
  readonly borrowed: number;
  readonly waiting: number;
}

/** Split a project's demand into what it uses in quota, borrows and requests. */
export function barOf(project: ProjectUse): IBar {
  const { allocated, over, requested } = project;
  return {
    right: allocated - over,
    borrowed: over,
    waiting: Math.max(0, requested - allocated)
  };
}

/** Return what all bars are drawn against, in milli-GPU, so that they can be compared. */
export function scaleOf(projects: readonly ProjectUse[]): number {
  return projects.reduce(
    (most, { quota, fair, requested, allocated }) =>
      Math.max(most, quota, fair, requested, allocated),
    1
  );
}

/** Number of colours of projects in the style sheet. */
const SERIES = 5;

/** Return the number of a project's colour; those of the charts are in the same order. */
export function seriesOf(projects: readonly string[], name: string): number {
  return [...projects].sort().indexOf(name) % SERIES;
}

/** A part of a device: what a session holds, what is free, or all of a lost device. */
export type Part =
  | {
      readonly kind: 'slice';
      readonly milli: number;
      readonly slice: SliceUse;
    }
  | { readonly kind: 'free' | 'lost'; readonly milli: number };

/** Return all of a device, in milli-GPU; it may stand for several GPUs. */
export function milliIn({ count }: Device): number {
  return 1000 * (count ?? 1);
}

/** Split a device into what is drawn; what is neither held nor free is lost. */
export function partsOf({ device, slices, free }: DeviceUse): Part[] {
  const held = slices.map(
    slice => ({ kind: 'slice', milli: slice.milli, slice }) as const
  );
  const used = held.reduce((sum, { milli }) => sum + milli, 0);
  const isUsable = !device.lost && !device.problem;
  const kind = free && isUsable ? 'free' : 'lost';
  const milli = kind === 'free' ? free : milliIn(device) - used;
  return milli > 0 ? [...held, { kind, milli }] : held;
}

/** Return what a session holds, or asks for as far as it can be counted, in milli-GPU. */
export function milliOf({ placement, spec }: Session): number {
  return placement
    ? placement.slices.reduce((sum, slice) => sum + slice.milli, 0)
    : spec.share.milli;
}
