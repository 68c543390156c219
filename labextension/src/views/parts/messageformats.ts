import { TranslationBundle } from '@jupyterlab/translation';
import type { Translate } from '../../api/localise';
import { IFormats, translated, Value } from '../../api/messages';
import { language } from '../../translation';
import { whoseText } from '../idle/texts';
import { signalsText } from '../idle/signals';
import { bytesText } from './amounts';
import { clockText, gpus, gpusText, memory, shareText } from './texts';

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second']
] as const;

/** Make the translation of the server's messages into the user's language. */
export function messageTranslation(trans: TranslationBundle): Translate {
  const formats = messageFormats(trans);
  return (key, args) => translated(trans, formats, key, args);
}

/** Make the formatters of the values in messages, for the user's language. */
export function messageFormats(trans: TranslationBundle): IFormats {
  return {
    amount: value => gpus(Number(value)),
    and: value => joined(value, 'conjunction'),
    bytes: value => bytesText(Number(value)),
    count: value => Number(value).toLocaleString(language()),
    duration: value => durationText(Number(value)),
    gpus: value => gpusText(trans, Number(value)),
    holders: value =>
      parts(value)
        .map(part => holderText(trans, part))
        .join(', '),
    memory: value => memory(Number(value)),
    or: value => joined(value, 'disjunction'),
    place: value => placeText(trans, String(value)),
    policy: value => whoseText(trans, String(value), ''),
    sessions: value =>
      parts(value)
        .map(part => sessionsText(trans, part))
        .join(', '),
    share: value => {
      const [milli, mib, compute, ...mig] = String(value).split('/');
      return shareText(trans, {
        milli: Number(milli),
        memory: Number(mib),
        compute: Number(compute),
        mig: mig.join('/')
      });
    },
    signals: value => signalsText(trans, parts(value)),
    time: value => clockText(String(value))
  };
}

function parts(value: Value): string[] {
  return String(value).split(',').filter(Boolean);
}

function joined(value: Value, type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat(language(), { type }).format(parts(value));
}

/** Return seconds in their two largest units. */
function durationText(seconds: number): string {
  let rest = seconds;
  const texts: string[] = [];
  let left = 2;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (left && (count || left < 2)) {
      left -= 1;
      if (count) {
        texts.push(unitText(count, unit));
      }
    }
  }
  return texts.join(' ') || unitText(0, 'second');
}

function unitText(count: number, unit: string): string {
  return new Intl.NumberFormat(language(), {
    style: 'unit',
    unit,
    unitDisplay: 'short'
  }).format(count);
}

/** Return `project/used/borrowed`, in milli-GPU, in words. */
function holderText(trans: TranslationBundle, part: string): string {
  const [project, used, borrowed] = part.split('/');
  return Number(borrowed)
    ? trans.__(
        '%1 %2 (%3 borrowed)',
        project,
        gpus(Number(used)),
        gpus(Number(borrowed))
      )
    : trans.__('%1 %2', project, gpus(Number(used)));
}

/** Return a session's name, or `project/count` in words. */
function sessionsText(trans: TranslationBundle, part: string): string {
  const [name, count] = part.split('/');
  return count
    ? trans._n('a session of %2', '%1 sessions of %2', Number(count), name)
    : name;
}

/** Return `node/devices/simulated` in words. */
function placeText(trans: TranslationBundle, value: string): string {
  const [simulated, devices, ...node] = value.split('/').reverse();
  const name = node.reverse().join('/');
  const place = devices
    ? trans.__('%1, GPU %2', name, devices.replaceAll(',', ', '))
    : name;
  return simulated ? trans.__('%1 (simulated)', place) : place;
}
