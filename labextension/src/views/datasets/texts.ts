import { TranslationBundle } from '@jupyterlab/translation';
import { Dataset, Job, JobKind, JobState, Version } from '../../api/models';
import { lookUp, Table, textOf } from '../../api/vocabulary';
import { ICopy, partOf } from '../../state/datasets/rows';
import { isOfSnapshots } from '../../state/snapshots/snapshots';
import { language } from '../../translation';
import { bytesText } from '../parts/amounts';
import { clockText, spanText } from '../parts/texts';

/** Return a part of a whole, rounded down: 100 % is only said once all is there. */
export function percentText(part: number): string {
  return (Math.floor(part * 100) / 100).toLocaleString(language(), {
    style: 'percent'
  });
}

export function filesText(trans: TranslationBundle, count: number): string {
  const number = count.toLocaleString(language());
  return trans._n('%2 file', '%2 files', count, number);
}

/** Return how long ago something was: `5 min ago`. */
export function agoText(
  trans: TranslationBundle,
  time: string,
  now: number
): string {
  const span = Math.max(0, now - Date.parse(time));
  return span > 7 * 86_400_000
    ? new Date(time).toLocaleDateString(language())
    : trans.__('%1 ago', spanText(trans, span));
}

/** Return what a dataset holds: `3 versions, 1 cached · 1.2 GiB`. */
export function datasetText(
  trans: TranslationBundle,
  { versions, cached, latest }: Dataset
): string {
  if (!versions) {
    return trans.__('No versions yet');
  }
  const count = trans._n('%1 version', '%1 versions', versions);
  const all = cached ? trans.__('%1, %2 cached', count, cached) : count;
  return latest ? `${all} · ${bytesText(latest.size)}` : all;
}

/** Return by whom a version is and what it contains: `1.2 GiB · 300 files · 5 min ago · ana`. */
export function versionText(
  trans: TranslationBundle,
  version: Version,
  now: number
): string {
  return [
    bytesText(version.size),
    filesText(trans, version.files),
    agoText(trans, version.time, now),
    version.author
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Return what is near the GPUs of a version: `cached`, `fetching 43 %`, `not here`. */
export function copyText(trans: TranslationBundle, copy: ICopy): string {
  switch (copy.state) {
    case 'none':
      return trans.__('not here');
    case 'cached':
      return trans.__('cached');
    case 'waiting':
      return copy.job?.reason || trans.__('waiting to be fetched');
    case 'fetching':
      return trans.__('fetching %1', percentText(copy.part));
    case 'damaged':
      return trans.__('damaged');
    case 'clearing':
      return trans.__('being cleared');
    default:
      return copy.state;
  }
}

/** Return who uses and who keeps a cached version, in lines. */
export function keepersText(trans: TranslationBundle, copy: ICopy): string[] {
  const { leases = [], pins = [], used, verified } = copy.cached ?? {};
  return [
    ...leases.map(({ name }) => trans.__('Used by %1', name)),
    ...pins.map(({ user, why, until }) => {
      const who = until
        ? trans.__('Pinned by %1 until %2', user, clockText(until))
        : trans.__('Pinned by %1', user);
      return why ? trans.__('%1: %2', who, why) : who;
    }),
    used ? trans.__('Last used %1', clockText(used)) : '',
    verified ? trans.__('Verified %1', clockText(verified)) : ''
  ].filter(Boolean);
}

/** Return what a job does: `Syncing faces`. */
export function jobText(trans: TranslationBundle, job: Job): string {
  const { dataset, kind, version } = job;
  const name = isOfSnapshots(job)
    ? trans.__('a snapshot')
    : version
      ? `${dataset}@${version.slice(0, 12)}`
      : dataset;
  const texts: Table<JobKind, string> & Record<string, string> = {
    sync: trans.__('Syncing %1', name),
    export: trans.__('Exporting %1', name),
    import: trans.__('Importing %1', name),
    cache: trans.__('Fetching %1', name),
    verify: trans.__('Verifying %1', name),
    evict: trans.__('Clearing %1', name),
    index: trans.__('Reading the cache'),
    gc: trans.__('Removing what no version needs'),
    register: trans.__('Registering %1', name),
    snapshot: trans.__('Taking a snapshot'),
    restore: trans.__('Restoring a snapshot')
  };
  return lookUp<string, string>(texts, kind) ?? `${kind} ${name}`;
}

/** Return how far a job has come: `43 % · 12 MiB/s · 5 min left`. */
export function progressText(trans: TranslationBundle, job: Job): string {
  const states: Table<JobState, string> = {
    waiting: job.reason || trans.__('waiting'),
    running: '',
    done: trans.__('done'),
    failed: trans.__('failed'),
    cancelled: trans.__('cancelled'),
    lost: trans.__('ended unexpectedly')
  };
  if (job.cancelling && job.state === 'running') {
    return trans.__('cancelling');
  }
  if (job.state !== 'running') {
    return textOf(states, job.state);
  }
  return [
    job.size ? percentText(partOf(job)) : filesText(trans, job.files),
    job.rate ? trans.__('%1/s', bytesText(job.rate)) : '',
    job.left === null
      ? ''
      : trans.__('%1 left', spanText(trans, job.left * 1000))
  ]
    .filter(Boolean)
    .join(' · ');
}
