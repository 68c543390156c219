import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useMemo } from 'react';
import { Exemption, Policy } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { clusterOf } from '../../state/quota';
import { latest } from '../../state/resource';
import {
  IExemptionBase,
  placeOf,
  putPolicy,
  withExemption,
  withoutExemption
} from '../../state/settings/policychange';
import {
  ExemptionField,
  toExemptionDraft
} from '../../state/settings/policydraft';
import { isLocalTime } from '../../state/settings/times';
import { Field, TextField } from '../launch/fields';
import { EditableName } from '../parts/controls';
import { DataTable, ITableColumn } from '../parts/datatable';
import { NameOf, useSessionNames, whoText } from '../parts/sessionnames';
import { timeText } from '../parts/texts';
import { useResult, useSignal, useUi } from '../parts/ui';
import { IEditor, IOpened, NewButton, SettingForm, useEditor } from './editor';
import { PastLine } from './pastline';
import { usePeople } from './people';
import { removePart } from './removing';

type Column = ITableColumn<Exemption>;

/** Show who is excepted from the policy, until when and why, and have it changed. */
export function ExemptionSection(props: {
  policy: Policy;
  isFixed: boolean;
}): JSX.Element {
  const { isFixed, policy } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const nameOf = useSessionNames();
  const editor = useEditor((base: IExemptionBase) => {
    const { exemptions } = base.policy;
    const place = placeOf(exemptions, base.exemption);
    return new FormModel<ExemptionField, string>(
      toExemptionDraft(base.exemption),
      async draft => {
        const request = withExemption(base, draft);
        await putPolicy(administration, request, 'exemptions', place);
        return trans.__('%1 is exempt.', whoText(draft.who.trim(), nameOf));
      }
    );
  });
  const onEdit = (exemption: Exemption) =>
    void editor.open({ policy, exemption });
  const { opened } = editor;
  return (
    <>
      <DataTable
        title={trans.__('Exemptions')}
        file="gpu-idle-exemptions"
        columns={exemptionColumns(nameOf, trans, isFixed ? undefined : onEdit)}
        rows={policy.exemptions}
        idOf={({ reason, until, who }) => [who, until, reason].join(' ')}
        sort={{ column: 'who', descending: false }}
        empty={trans.__('No exemptions.')}
        actions={
          isFixed ? null : (
            <NewButton
              editor={editor}
              label={trans.__('New exemption')}
              base={{ policy }}
            />
          )
        }
      />
      {opened ? (
        <ExemptionForm
          key={opened.count}
          editor={editor}
          opened={opened}
          nameOf={nameOf}
        />
      ) : null}
    </>
  );
}

function ExemptionForm(props: {
  editor: IEditor<ExemptionField, IExemptionBase>;
  opened: IOpened<ExemptionField, IExemptionBase>;
  nameOf: NameOf;
}): JSX.Element {
  const { base, model } = props.opened;
  const { exemption } = base;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const whom = useWhom();
  const list = useId();
  useSignal(model.changed);
  const { draft } = model;
  const request = useMemo(() => withExemption(base, draft), [base, draft]);
  const name = whoText(exemption?.who ?? '', props.nameOf);
  return (
    <SettingForm
      editor={props.editor}
      model={model}
      title={
        exemption
          ? trans.__('Change the exemption of %1', name)
          : trans.__('New exemption')
      }
      find={async () => {
        const policy = await latest(administration.policy);
        const found = policy.exemptions.find(
          ({ who }) => who === exemption?.who
        );
        return exemption && !found ? null : { policy, exemption: found };
      }}
      remove={
        exemption &&
        (async () => {
          const without = withoutExemption(base);
          return (await removePart(administration, name, without, trans))
            ? trans.__('The exemption of %1 was removed.', name)
            : undefined;
        })
      }
      notice={<PastLine request={request} />}
    >
      <TextField
        model={model}
        name="who"
        label={trans.__('Who')}
        help={trans.__('user:NAME, project:NAME or session:NAME (or ID)')}
        list={list}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {whom.map(text => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <UntilField model={model} />
      <TextField
        model={model}
        name="reason"
        label={trans.__('Reason')}
        help={trans.__('Why the exemption is needed, for other admins.')}
        autoComplete="off"
      />
    </SettingForm>
  );
}

/** A time that is picked, or how long it is until then. */
function UntilField(props: {
  model: FormModel<ExemptionField, string>;
}): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const { until } = model.draft;
  const isTime = isLocalTime(until);
  const common = {
    className: 'jp-GpuQuota-input',
    onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
      model.set({ until: event.target.value })
  };
  return (
    <Field
      model={model}
      name="until"
      label={trans.__('Until')}
      help={trans.__('In the time zone of this browser.')}
    >
      {control => (
        <div className="jp-GpuQuota-control">
          <input
            {...control}
            {...common}
            type="datetime-local"
            value={isTime ? until : ''}
          />
          <label className="jp-GpuQuota-orFor">
            {trans.__('or for')}
            <input
              {...common}
              type="text"
              aria-describedby={control['aria-describedby']}
              aria-invalid={control['aria-invalid']}
              value={isTime ? '' : until}
              placeholder={trans.__('e.g. 3 days')}
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        </div>
      )}
    </Field>
  );
}

/** Return whom an exemption could be for: projects, their people and sessions that are there. */
function useWhom(): readonly string[] {
  const { people, projects } = usePeople();
  const sessions = useResult(useUi().workspace.sessions);
  const items = sessions.status === 'ready' ? sessions.value.items : [];
  // The policy of another cluster is set there.
  const named = items
    .filter(({ spec }) => !clusterOf(spec.project))
    .map(({ spec }) => `session:${spec.project}/${spec.name}`);
  return [
    ...people.map(name => `user:${name}`),
    ...projects.map(name => `project:${name}`),
    ...named.sort()
  ];
}

function exemptionColumns(
  nameOf: NameOf,
  trans: TranslationBundle,
  onEdit?: (exemption: Exemption) => void
): Column[] {
  return [
    {
      id: 'who',
      label: trans.__('Who'),
      text: ({ who }) => whoText(who, nameOf),
      sortKey: ({ who }) => whoText(who, nameOf),
      cell: exemption => (
        <EditableName
          name={whoText(exemption.who, nameOf)}
          title={trans.__('Change or delete the exemption')}
          onEdit={onEdit && (() => onEdit(exemption))}
        />
      )
    },
    {
      id: 'until',
      label: trans.__('Until'),
      text: ({ until }) => timeText(until),
      sortKey: ({ until }) => Date.parse(until),
      csv: ({ until }) => until
    },
    {
      id: 'reason',
      label: trans.__('Reason'),
      text: ({ reason }) => reason,
      sortKey: ({ reason }) => reason
    }
  ];
}
