import { Dataset, DatasetAction, Version } from '../../api/models';
import { CommandIDs } from '../../commands';
import { DatasetActions } from '../../state/datasets/actions';
import {
  pythonSnippet,
  referenceTo,
  shellSnippet
} from '../../state/datasets/references';
import { ICopy, Row } from '../../state/datasets/rows';
import { confirm } from '../parts/confirm';
import { IEntry } from '../parts/menu';
import { doing } from '../parts/report';
import { IUi } from '../parts/ui';
import { askForPin, askForTag, choose, chooseVersion, copy } from './dialogs';

type VersionRow = Extract<Row, { kind: 'version' }>;

/** Return whether a user may do something to a dataset. */
export function may({ actions }: Dataset, action: DatasetAction): boolean {
  return actions.includes(action);
}

/** Show the files of a version. */
export function browse({ commands }: IUi, version: Version): void {
  const { dataset, id } = version;
  void commands.execute(CommandIDs.browseDataset, { dataset, version: id });
}

/** Have a version fetched; from a lake of its own by a process with the user's credentials. */
export async function cacheIt(
  actions: DatasetActions,
  dataset: Dataset,
  version: Version
): Promise<void> {
  if (dataset.own_lake) {
    await actions.start({
      kind: 'cache',
      dataset: dataset.name,
      version: version.id
    });
    return;
  }
  const { job } = await actions.cache(version);
  if (job?.problem) {
    throw new Error(job.problem.message);
  }
}

/** Return what can be done to a dataset. */
export function datasetEntries(
  ui: IUi,
  actions: DatasetActions,
  dataset: Dataset
): (IEntry | null)[] {
  const { trans, commands } = ui;
  const { latest, name } = dataset;
  const lineage = {
    label: trans.__('Show Lineage'),
    run: () => void commands.execute(CommandIDs.lineage, { dataset: name })
  };
  if (!latest) {
    return [lineage];
  }
  return [
    { label: trans.__('Browse Latest'), run: () => browse(ui, latest) },
    ...using(ui, { ...latest, tags: ['latest'] }),
    lineage,
    ...(may(dataset, 'cache')
      ? [
          null,
          {
            label: trans.__('Cache Latest'),
            run: doing(trans, () => cacheIt(actions, dataset, latest))
          }
        ]
      : [])
  ];
}

/** Return what can be done to a version. */
export function versionEntries(
  ui: IUi,
  actions: DatasetActions,
  row: VersionRow,
  others: readonly Version[]
): (IEntry | null)[] {
  const { trans, commands } = ui;
  const { dataset, version } = row;
  const compare = async () => {
    const title = trans.__('Compare %1 with', referenceTo(version));
    const rest = others.filter(({ id }) => id !== version.id);
    const other = await chooseVersion(trans, title, rest);
    if (other) {
      // The newest comes first in the list.
      const at = (one: Version) => others.findIndex(({ id }) => id === one.id);
      const [before, after] =
        at(other) > at(version) ? [other, version] : [version, other];
      await commands.execute(CommandIDs.compareVersions, {
        dataset: dataset.name,
        version: before.id,
        other: after.id
      });
    }
  };
  return [
    { label: trans.__('Browse Files'), run: () => browse(ui, version) },
    ...(others.length > 1
      ? [{ label: trans.__('Compare with…'), run: doing(trans, compare) }]
      : []),
    ...using(ui, version),
    {
      label: trans.__('Show Lineage'),
      run: () =>
        void commands.execute(CommandIDs.lineage, {
          dataset: dataset.name,
          version: version.id
        })
    },
    ...(may(dataset, 'cache') ? [null, ...caching(ui, actions, row)] : []),
    ...(may(dataset, 'write') ? [null, ...tagging(ui, actions, version)] : [])
  ];
}

/** What uses a version in sessions and code. */
function using({ commands, trans }: IUi, version: Version): IEntry[] {
  const reference = referenceTo(version);
  return [
    {
      label: trans.__('Launch a Session with It…'),
      run: () => void commands.execute(CommandIDs.launch, { data: reference })
    },
    {
      label: trans.__('Copy Python Snippet'),
      run: () => copy(trans, pythonSnippet(reference))
    },
    {
      label: trans.__('Copy Shell Command'),
      run: () => copy(trans, shellSnippet(reference))
    }
  ];
}

/** What concerns the copy of a version near the GPUs. */
function caching(
  ui: IUi,
  actions: DatasetActions,
  { copy: known, dataset, version }: VersionRow
): IEntry[] {
  const { trans } = ui;
  const { cached, job, state } = known;
  const entry = (label: string, act: () => Promise<unknown>) => ({
    label,
    run: doing(trans, act)
  });
  if (job) {
    return [entry(trans.__('Cancel Fetching'), () => actions.cancel(job))];
  }
  const verify = entry(trans.__('Verify'), () =>
    actions.verify(version, { lake: !dataset.own_lake, cache: Boolean(cached) })
  );
  if (state === 'none') {
    return [
      entry(trans.__('Cache'), () => cacheIt(actions, dataset, version)),
      ...(dataset.own_lake ? [] : [verify])
    ];
  }
  return [
    ...(state === 'damaged'
      ? [
          entry(trans.__('Fetch Again'), () =>
            cacheIt(actions, dataset, version)
          )
        ]
      : []),
    entry(trans.__('Clear from Cache'), () =>
      clear(ui, actions, version, known)
    ),
    entry(trans.__('Pin…'), async () => {
      const pin = await askForPin(trans, referenceTo(version));
      await (pin && actions.pin(version, pin));
    }),
    ...(cached?.pins.length
      ? [entry(trans.__('Unpin'), () => actions.unpin(version))]
      : []),
    verify
  ];
}

async function clear(
  { trans }: IUi,
  actions: DatasetActions,
  version: Version,
  { cached }: ICopy
): Promise<void> {
  const pins = cached?.pins ?? [];
  const isSure =
    !pins.length ||
    (await confirm(
      trans.__('Clear %1 from the cache?', referenceTo(version)),
      [
        trans.__('Pinned by %1.', pins.map(({ user }) => user).join(', ')),
        trans.__('The version stays in its lake.')
      ],
      trans.__('Clear'),
      trans
    ));
  if (isSure) {
    await actions.clear(version);
  }
}

function tagging(
  { trans }: IUi,
  actions: DatasetActions,
  version: Version
): IEntry[] {
  const { tags } = version;
  const tag = async () => {
    const name = await askForTag(trans, version);
    await (name && actions.tag(version, name));
  };
  const untag = async () => {
    const title = trans.__('Remove a tag from %1', referenceTo(version));
    const index = await choose(title, trans.__('Tag'), tags);
    await (index !== null && actions.untag(version, tags[index]));
  };
  return [
    { label: trans.__('Tag…'), run: doing(trans, tag) },
    ...(tags.length
      ? [{ label: trans.__('Remove Tag…'), run: doing(trans, untag) }]
      : [])
  ];
}
