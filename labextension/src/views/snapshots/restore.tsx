import React from 'react';
import { Original, RestorePlan, Snapshot } from '../../api/models';
import { RestoreModel } from '../../state/snapshots/restoring';
import { copy } from '../datasets/dialogs';
import { follow } from '../datasets/syncfolder';
import { CheckField, Problems, TextField } from '../launch/fields';
import { bytesText } from '../parts/amounts';
import { ErrorNotice, Notice, Pending } from '../parts/controls';
import { Facts } from '../parts/facts';
import { showForm } from '../parts/formdialog';
import { shareText } from '../parts/texts';
import { IUi, useUi } from '../parts/ui';
import { shortId, shortTitle } from './texts';

/** Show what a restore would make, and make it once the user has agreed. */
export async function restoreSnapshot(
  ui: IUi,
  snapshot: Snapshot
): Promise<void> {
  const { trans, workspace } = ui;
  const model = new RestoreModel(workspace, snapshot);
  const begun = await showForm(ui, {
    title: trans.__('Restore %1', shortTitle(snapshot)),
    label: trans.__('Restore'),
    model,
    fields: () => <RestoreFields model={model} />
  });
  if (begun?.job) {
    follow(trans, workspace, begun.job);
  }
}

export function RestoreFields({ model }: { model: RestoreModel }): JSX.Element {
  const { trans } = useUi();
  const { how } = model.draft;
  const ofVolumes = model.plan?.folder === ''; // on a cluster
  const choices = {
    new: trans.__('Into a new session'),
    folder: ofVolumes
      ? trans.__('Into new volumes, without a session')
      : trans.__('Into a new folder, without a session')
  };
  return (
    <>
      <fieldset className="jp-GpuQuota-choices">
        <legend>{trans.__('Restore')}</legend>
        {Object.entries(choices).map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="how"
              value={value}
              checked={how === value}
              onChange={() => model.set({ how: value })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {how === 'new' ? (
        <TextField
          model={model}
          name="name"
          label={trans.__('Name')}
          placeholder={model.plan?.spec?.name ?? ''}
          spellCheck={false}
        />
      ) : null}
      {how === 'new' && !ofVolumes ? (
        <TextField
          model={model}
          name="environment"
          label={trans.__('Environment')}
          placeholder={model.plan?.spec?.environment ?? ''}
          spellCheck={false}
        />
      ) : null}
      {ofVolumes ? null : (
        <TextField
          model={model}
          name="folder"
          label={trans.__('Folder')}
          placeholder={model.plan?.folder ?? ''}
          spellCheck={false}
        />
      )}
      {model.variables.length ? (
        <CheckField
          model={model}
          name="variables"
          label={trans.__('Restore kernel variables')}
          help={trans.__(
            'They run code when they are loaded: %1',
            model.variables.join(', ')
          )}
        />
      ) : null}
      <Plan model={model} />
    </>
  );
}

/** What would be made, and what stands against it. */
function Plan({ model }: { model: RestoreModel }): JSX.Element {
  const { trans } = useUi();
  const { obstacles, plan, planned } = model;
  if (planned.status === 'pending') {
    return <Pending trans={trans} />;
  }
  if (planned.status === 'error' && !planned.error.fields.length) {
    return <ErrorNotice trans={trans} error={planned.error} />;
  }
  return (
    <div className="jp-GpuQuota-facts" aria-live="polite">
      {plan ? <PlanFacts plan={plan} /> : null}
      {plan?.warnings.map(warning => (
        <Notice key={warning}>{warning}</Notice>
      ))}
      {plan?.commands?.length ? <Packages commands={plan.commands} /> : null}
      {plan?.original ? (
        <NextSteps plan={plan} original={plan.original} />
      ) : null}
      <Problems id="" problems={obstacles} />
    </div>
  );
}

/** The commands that restore with the packages that the snapshot was taken with. */
function Packages(props: { commands: readonly string[] }): JSX.Element {
  const { trans } = useUi();
  const text = props.commands.join('\n');
  return (
    <>
      <p>
        {trans.__(
          'To restore with the packages of the snapshot, in a terminal:'
        )}
      </p>
      <pre tabIndex={0}>{text}</pre>
      <button
        type="button"
        className="jp-GpuQuota-button"
        onClick={() => copy(trans, text)}
      >
        {trans.__('Copy commands')}
      </button>
    </>
  );
}

/** The two steps after which only what was restored goes on. */
function NextSteps(props: {
  plan: RestorePlan;
  original: Original;
}): JSX.Element {
  const { trans } = useUi();
  const { original, plan } = props;
  const { folder, name } = original;
  if (folder && plan.folder.startsWith(`${folder.replace(/\/$/, '')}/`)) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'To go on with it instead of %1, stop %1. Its folder has the new one in it.',
          name
        )}
      </p>
    );
  }
  return (
    <p className="jp-GpuQuota-quiet">
      {folder
        ? trans.__(
            'To go on with it instead of %1, stop %1, then keep or move its folder.',
            name
          )
        : trans.__(
            'To go on with it instead of %1, stop %1, then keep or delete its volumes.',
            name
          )}
    </p>
  );
}

function PlanFacts({ plan }: { plan: RestorePlan }): JSX.Element {
  const { trans } = useUi();
  const { claims, folder, free, size, spec } = plan;
  const files = bytesText(size);
  return (
    <Facts
      title={trans.__('What will be made')}
      facts={[
        [trans.__('Session'), spec?.name],
        [trans.__('Share'), spec && shareText(trans, spec.share)],
        [trans.__('Folder'), folder && <code key="folder">{folder}</code>],
        [
          trans.__('Files'),
          free === null
            ? files
            : trans.__('%1 (%2 free)', files, bytesText(free))
        ],
        [trans.__('Volumes'), claims.join(', ')],
        [
          trans.__('Data'),
          spec?.data
            ?.map(({ dataset, version }) => `${dataset}@${shortId(version)}`)
            .join(', ')
        ]
      ]}
    />
  );
}
