import { TranslationBundle } from '@jupyterlab/translation';
import { ProjectUse, Session, Share } from '../../api/models';
import { language } from '../../translation';

// Making a format takes much longer than using it, and lists are long.
const formats = new Map<string, Intl.NumberFormat>();

/** Write a number with at most so many digits after its point. */
function decimal(value: number, maximumFractionDigits: number): string {
  const key = `${language()} ${maximumFractionDigits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language(), { maximumFractionDigits });
    formats.set(key, format);
  }
  return format.format(value);
}

/** Render milli-GPU as GPUs: 500 -> `0.5`. */
export function gpus(milli: number): string {
  return decimal(milli / 1000, 3);
}

/** Render MiB: 16384 -> `16 GiB`. */
export function memory(mib: number): string {
  const [value, unit] = mib >= 1024 ? [mib / 1024, 'GiB'] : [mib, 'MiB'];
  return `${decimal(value, value < 10 ? 1 : 0)} ${unit}`;
}

/** Return milli-GPU in words: `0.5 GPU`, `1 GPU`, `9.5 GPUs`. */
export function gpusText(trans: TranslationBundle, milli: number): string {
  return trans._n(
    '%2 GPU',
    '%2 GPUs',
    milli > 0 && milli <= 1000 ? 1 : 2,
    gpus(milli)
  );
}

/** Return milli-GPU as briefly as possible: `½ GPU`, `9.5 GPUs`. */
export function briefText(trans: TranslationBundle, milli: number): string {
  const sign = SIGNS[milli];
  return sign ? trans._n('%2 GPU', '%2 GPUs', 1, sign) : gpusText(trans, milli);
}

/** Return how much of its quota a project has free for interactive sessions, which never borrow. */
export function freeText(trans: TranslationBundle, use: ProjectUse): string {
  return trans.__(
    'free for interactive: %1 of %2',
    gpus(Math.max(0, use.quota - (use.kept ?? use.allocated))),
    gpusText(trans, use.quota)
  );
}

/** Fractions that have a sign of their own, in milli-GPU. */
const SIGNS: Readonly<Record<number, string>> = {
  100: '⅒',
  125: '⅛',
  200: '⅕',
  250: '¼',
  500: '½',
  750: '¾'
};

/** Return whole GPUs, a part of one, or equal parts: `1.5 GPUs (0.75 of each of 2)`. */
function partsText(trans: TranslationBundle, milli: number): string {
  const text = briefText(trans, milli);
  const count = Math.ceil(milli / 1000);
  return count > 1 && milli % 1000
    ? trans.__(
        '%1 (%2 of each of %3)',
        text,
        gpus(Math.ceil(milli / count)),
        count
      )
    : text;
}

/** Return a share as briefly as possible: `½ GPU`, `8 GiB`, `MIG 1g.10gb`, `CPU only`. */
export function shareText(trans: TranslationBundle, share: Share): string {
  let text = trans.__('CPU only');
  if (share.mig) {
    text = trans.__('MIG %1', share.mig);
  } else if (share.memory) {
    text = memory(share.memory);
  } else if (share.milli) {
    text = partsText(trans, share.milli);
  }
  return share.compute
    ? trans.__('%1, %2 % compute', text, share.compute)
    : text;
}

/** Return the memory that a share comes with, in MiB; 0 where it says nothing. */
export function sliceMemory(session: Session): number {
  const { share } = session.spec;
  return (share.milli || share.mig) && session.placement
    ? session.placement.slices.reduce((sum, slice) => sum + slice.memory, 0)
    : 0;
}

/** Return a session's share and memory: `½ GPU · 16 GiB`. */
export function shareLine(trans: TranslationBundle, session: Session): string {
  const part = sliceMemory(session);
  const share = shareText(trans, session.spec.share);
  return part ? `${share} · ${memory(part)}` : share;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Render bytes in binary units, as sizes are typed: 1572864 -> `1.5 MiB`. */
export function bytesText(bytes: number): string {
  let power = 0;
  let value = bytes;
  while (Math.round(value) >= 1024 && power < UNITS.length - 1) {
    value /= 1024;
    power += 1;
  }
  const digits = { maximumFractionDigits: power && value < 9.95 ? 1 : 0 };
  return `${value.toLocaleString(language(), digits)} ${UNITS[power]}`;
}

/** Return a span of milliseconds in its largest unit: `12 min`, or `12 minutes` if not `short`. */
export function spanText(
  trans: TranslationBundle,
  span: number,
  unitDisplay: 'short' | 'long' = 'short'
): string {
  const minutes = Math.floor(span / 60_000);
  const [value, unit] =
    minutes < 60
      ? [Math.max(1, minutes), 'minute']
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / 1440), 'day'];
  const text = new Intl.NumberFormat(language(), {
    style: 'unit',
    unit,
    unitDisplay
  }).format(value);
  return minutes < 1 ? trans.__('< %1', text) : text;
}

/** Return the time of day: `14:02`; with the date unless it is today. */
export function clockText(time: string): string {
  const at = new Date(time);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language(), {
    ...(isToday ? {} : { dateStyle: 'short' }),
    timeStyle: 'short'
  });
}

/** Return a text of the server with its times in UTC as the user's: `ana did it at 14:02`. */
export function localTimes(text: string): string {
  return text.replace(
    /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC\b/g,
    (_, date: string, time: string) => clockText(`${date}T${time}Z`)
  );
}

/** Return a time of day to the second: `14:02:07`. */
export function momentText(time: string): string {
  return new Date(time).toLocaleTimeString(language());
}

/** Return a date with the time of day. */
export function timeText(time: string): string {
  return new Date(time).toLocaleString(language(), {
    dateStyle: 'medium',
    timeStyle: 'medium'
  });
}
