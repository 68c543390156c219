import React from 'react';
import { SnapshotRules } from '../../api/models';
import { routes } from '../../api/routes';
import { RulesModel } from '../../state/snapshots/rules';
import { CheckField, SelectField, TextField } from '../launch/fields';
import { ErrorNotice, Notice } from '../parts/controls';
import { showForm } from '../parts/formdialog';
import { spanText } from '../parts/texts';
import { IUi, useUi } from '../parts/ui';

const HOUR = 3600;
/** The schedules that are offered, in seconds. */
const SCHEDULES = [0, HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** Show which snapshots are taken and removed by themselves, and change that. Throws ApiError. */
export async function changeRules(ui: IUi): Promise<void> {
  const { trans, workspace } = ui;
  const { rules } = await workspace.call(routes.snapshotsSettings, {});
  const model = new RulesModel(workspace, rules, trans);
  await showForm(ui, {
    title: trans.__('Rules for my snapshots'),
    label: trans.__('Save'),
    model,
    fields: () => <RuleFields model={model} rules={rules} />
  });
  await workspace.resource('snapshots').refresh();
}

function RuleFields(props: {
  model: RulesModel;
  rules: SnapshotRules;
}): JSX.Element {
  const { trans } = useUi();
  const { model, rules } = props;
  const schedules = SCHEDULES.includes(rules.every)
    ? SCHEDULES
    : [...SCHEDULES, rules.every];
  return (
    <>
      <SelectField
        model={model}
        name="every"
        label={trans.__('Take one')}
        choices={schedules.map(seconds => ({
          value: String(seconds),
          label: seconds
            ? trans.__(
                'every %1 of a running session',
                spanText(trans, seconds * 1000, 'long')
              )
            : trans.__('when I ask for it')
        }))}
      />
      <CheckField
        model={model}
        name="on_suspend"
        label={trans.__('When a session is suspended')}
      />
      <CheckField
        model={model}
        name="on_finish"
        label={trans.__('When a session has ended')}
      />
      <TextField
        model={model}
        name="keep_last"
        label={trans.__('Keep the last')}
        inputMode="numeric"
        placeholder={trans.__('all')}
        help={trans.__('Of each session. Tagged and pinned ones always stay.')}
      />
      <TextField
        model={model}
        name="daily"
        label={trans.__('Keep days')}
        inputMode="numeric"
        help={trans.__('The last one of each of so many days.')}
      />
      <TextField
        model={model}
        name="weekly"
        label={trans.__('Keep weeks')}
        inputMode="numeric"
        help={trans.__('The last one of each of so many weeks.')}
      />
      <Effect model={model} />
    </>
  );
}

/** Which snapshots the rules would remove at once. */
function Effect({ model }: { model: RulesModel }): JSX.Element {
  const { trans } = useUi();
  const { plan, planned } = model;
  const removed = plan?.removed.length ?? 0;
  if (planned.status === 'error' && !planned.error.fields.length) {
    return <ErrorNotice trans={trans} error={planned.error} />;
  }
  return (
    <div aria-live="polite">
      {removed ? (
        <Notice>
          {trans._n(
            'These rules remove %1 snapshot now.',
            'These rules remove %1 snapshots now.',
            removed
          )}
        </Notice>
      ) : plan ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__('These rules remove no snapshot now.')}
        </p>
      ) : null}
    </div>
  );
}
