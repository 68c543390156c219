import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Session, SnapshotPreview } from '../../api/models';
import { TakeModel } from '../../state/snapshots/taking';
import { follow } from '../datasets/syncfolder';
import { Disclosure } from '../launch/disclosure';
import { TextField } from '../launch/fields';
import { bytesText } from '../parts/amounts';
import { ErrorNotice } from '../parts/controls';
import { showForm } from '../parts/formdialog';
import { IUi, useUi } from '../parts/ui';

/** Ask why a snapshot of a session is taken, take it, and show how far it is. */
export async function takeSnapshot(ui: IUi, session: Session): Promise<void> {
  const { trans, workspace } = ui;
  const model = new TakeModel(workspace, session);
  const taken = await showForm(ui, {
    title: trans.__('Take a snapshot of %1', session.spec.name),
    label: trans.__('Take'),
    model,
    fields: () => <TakeFields model={model} volumes={volumesOf(session)} />
  });
  if (taken?.job) {
    follow(trans, workspace, taken.job);
  }
}

function TakeFields(props: {
  model: TakeModel;
  volumes: readonly string[];
}): JSX.Element {
  const { trans } = useUi();
  const { model, volumes } = props;
  return (
    <>
      <TextField
        model={model}
        name="note"
        label={trans.__('Note')}
        placeholder={trans.__('Why, or what has changed')}
      />
      <TextField
        model={model}
        name="tags"
        label={trans.__('Tags')}
        placeholder={trans.__('E.g. best; tagged snapshots are kept')}
      />
      <Stored model={model} />
      <Disclosure
        model={model}
        names={['exclude', 'artifacts', 'variables', 'volumes']}
        title={trans.__('More')}
      >
        <TextField
          model={model}
          name="exclude"
          label={trans.__('Leave out')}
          help={trans.__(
            'Patterns as in .gitignore, e.g. %1, besides those in .gpuquotaignore',
            '*.tmp /raw/'
          )}
          spellCheck={false}
        />
        <TextField
          model={model}
          name="artifacts"
          label={trans.__('Artifacts')}
          help={trans.__('Files to list one by one, e.g. %1', 'models/*.pt')}
          spellCheck={false}
        />
        <TextField
          model={model}
          name="variables"
          label={trans.__('Kernel variables')}
          help={trans.__('Names of variables to store, e.g. %1', 'model df')}
          spellCheck={false}
        />
        {volumes.length ? (
          <TextField
            model={model}
            name="volumes"
            label={trans.__('Volumes')}
            placeholder={volumes.join(' ')}
            help={trans.__('Names of volumes to copy; all if empty')}
            spellCheck={false}
          />
        ) : null}
      </Disclosure>
    </>
  );
}

/** How much would be stored, and what would be left out. */
function Stored({ model }: { model: TakeModel }): JSX.Element {
  const { trans } = useUi();
  const { plan, planned } = model;
  const hasFailed = planned.status === 'error' && !planned.error.fields.length;
  return (
    <div className="jp-GpuQuota-facts" aria-live="polite">
      <p>
        {planned.status === 'pending' ? trans.__('Counting files…') : null}
        {plan ? sizeText(trans, plan) : null}
      </p>
      {hasFailed ? <ErrorNotice trans={trans} error={planned.error} /> : null}
      {plan?.left_out.length ? <LeftOut plan={plan} /> : null}
    </div>
  );
}

function LeftOut({ plan }: { plan: SnapshotPreview }): JSX.Element {
  const { trans } = useUi();
  const { all_left_out, left_out } = plan;
  const others = all_left_out - left_out.length;
  return (
    <details>
      <summary>
        {trans._n('%1 path is left out', '%1 paths are left out', all_left_out)}
      </summary>
      <ul className="jp-GpuQuota-quiet">
        {left_out.map(({ path, why }) => (
          <li key={path}>
            <code>{path}</code>: {why}
          </li>
        ))}
        {others ? (
          <li>{trans._n('%1 more path', '%1 more paths', others)}</li>
        ) : null}
      </ul>
    </details>
  );
}

/** Return how much would be stored, empty where that is not known. */
function sizeText(trans: TranslationBundle, plan: SnapshotPreview): string {
  const { complete, files, size } = plan;
  if (files === null || size === null) {
    return '';
  }
  return complete
    ? trans._n('%1 file, %2', '%1 files, %2', files, bytesText(size))
    : trans._n(
        'More than %1 file, %2',
        'More than %1 files, %2',
        files,
        bytesText(size)
      );
}

/** The names of the volumes that a session may write, which its snapshots copy. */
function volumesOf({ spec }: Session): string[] {
  const mounted = (spec.volumes ?? []).filter(
    ({ read_only, volume }) => volume && !read_only
  );
  return [...new Set(mounted.map(({ volume }) => volume))];
}
