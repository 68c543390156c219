import { TranslationBundle } from '@jupyterlab/translation';
import {
  Consistency,
  Mechanism,
  Restoration,
  RestoreState,
  Snapshot,
  Trigger
} from '../../api/models';
import { Table, textOf } from '../../api/vocabulary';
import { Part, PartState } from '../../state/snapshots/parts';
import { bytesText } from '../parts/amounts';
import { agoText } from '../datasets/texts';

/** Digits of a snapshot's id that are shown, as everywhere else. */
const SHOWN = 12;
/** Letters of a note in the title of a dialog. */
const LONGEST = 36;

/** Return the beginning of a snapshot's id. */
export function shortId(id: string): string {
  return id.slice(0, SHOWN);
}

/** Return what a snapshot is called: its note, else its id. */
export function titleOf({ id, note }: Pick<Snapshot, 'id' | 'note'>): string {
  return note || shortId(id);
}

/** Return what a snapshot is called where there is little room, as in the title of a dialog. */
export function shortTitle(snapshot: Snapshot): string {
  const title = titleOf(snapshot);
  return title.length > LONGEST ? `${title.slice(0, LONGEST - 1)}…` : title;
}

/** Return how complete a snapshot is. */
export function snapshotStateText(
  trans: TranslationBundle,
  { problem, problems, state }: Snapshot
): string {
  switch (state) {
    case 'making':
      return trans.__('being taken');
    case 'ready':
      return trans.__('complete');
    case 'partial':
      return trans._n('%1 part incomplete', '%1 parts incomplete', problems);
    case 'failed':
      return trans.__('failed: %1', problem?.message ?? trans.__('unknown'));
    default:
      return state;
  }
}

/** Return why a snapshot was taken, where no user asked for it. */
export function triggerText(
  trans: TranslationBundle,
  trigger: Trigger
): string {
  const texts: Table<Trigger, string> = {
    request: '',
    schedule: trans.__('scheduled'),
    suspend: trans.__('on suspend'),
    finish: trans.__('on finish'),
    code: trans.__('from code')
  };
  return textOf(texts, trigger);
}

/** Return the size of a snapshot, and when it was taken: `1.2 GiB (+3 MiB) · 5 min ago`. */
export function snapshotText(
  trans: TranslationBundle,
  snapshot: Snapshot,
  now: number
): string {
  const { added, created, size, trigger } = snapshot;
  return [
    size && added === null ? bytesText(size) : '',
    size && added !== null ? `${bytesText(size)} (+${bytesText(added)})` : '',
    agoText(trans, created, now),
    triggerText(trans, trigger)
  ]
    .filter(Boolean)
    .join(' · ');
}

export function consistencyText(
  trans: TranslationBundle,
  consistency: Consistency
): string {
  const texts: Table<Consistency, string> = {
    quiesced: trans.__('quiesced: notebooks saved, nothing written meanwhile'),
    crash: trans.__('crash: as after a power cut'),
    'best-effort': trans.__('best effort: files were read one by one')
  };
  return textOf(texts, consistency);
}

/** Return whether what was stored is of one moment. */
export function mechanismText(
  trans: TranslationBundle,
  mechanism: Mechanism
): string {
  return mechanism === 'instant'
    ? trans.__('made at once')
    : trans.__('copied');
}

export function partTexts(
  trans: TranslationBundle
): Readonly<Record<Part, string>> & Readonly<Record<string, string>> {
  return {
    tree: trans.__('Files'),
    notebooks: trans.__('Notebooks'),
    git: trans.__('Code'),
    environment: trans.__('Environment'),
    data: trans.__('Data'),
    volumes: trans.__('Volumes'),
    artifacts: trans.__('Artifacts'),
    logs: trans.__('Logs'),
    metrics: trans.__('Metrics'),
    mlflow: trans.__('MLflow run'),
    kernel: trans.__('Kernel variables'),
    volume: trans.__('Volumes'),
    hook: trans.__('Hook'),
    env: trans.__('Left out variables'),
    'left out': trans.__('Left out files'),
    torn: trans.__('Torn files'),
    unread: trans.__('Not read'),
    written: trans.__('Written meanwhile')
  };
}

export function partStateText(
  trans: TranslationBundle,
  state: PartState
): string {
  const texts: Record<PartState, string> = {
    stored: trans.__('stored'),
    partly: trans.__('incomplete'),
    missing: trans.__('missing'),
    none: trans.__('none'),
    noted: trans.__('note')
  };
  return texts[state];
}

/** Return what a snapshot has added to its storage; a dash where that is not known. */
export function addedText(added: number | null): string {
  return added === null ? '–' : bytesText(added);
}

/** Return how far a restore is: `Restoring exp-1-2`. */
export function restoreText(
  trans: TranslationBundle,
  { folder, name, state }: Restoration
): string {
  const what = name || folder || trans.__('volumes');
  const texts: Table<RestoreState, string> = {
    fetching: trans.__('Restoring %1', what),
    launching: trans.__('Launching %1', what),
    done: trans.__('Restored %1', what),
    failed: trans.__('Could not restore %1', what)
  };
  return textOf(texts, state);
}
