import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Policy, PolicyLevel } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { clusterOf } from '../../state/quota';
import { latest } from '../../state/resource';
import {
  ILevelBase,
  levelOf,
  placeOf,
  putPolicy,
  withLevel,
  withoutLevel
} from '../../state/settings/policychange';
import {
  FORM_RULES,
  FormRule,
  inherited,
  LevelField,
  Rule,
  RULES,
  toLevelDraft
} from '../../state/settings/policydraft';
import { IChoice, SelectField, TextField } from '../launch/fields';
import { EditableName } from '../parts/controls';
import { DataTable, ITableColumn } from '../parts/datatable';
import { useResult, useSignal, useUi } from '../parts/ui';
import { IEditor, IOpened, NewButton, SettingForm, useEditor } from './editor';
import { ExemptionSection } from './exemptions';
import { PastLine } from './pastline';
import { ruleHelp, ruleText, setText } from './policytexts';
import { removePart } from './removing';

type Column = ITableColumn<PolicyLevel>;

const BUILT_IN = 'built-in';

/** Show what each level of the policy sets, and have it changed unless a file sets it. */
export function PolicySection(props: {
  policy: Policy;
  isFixed: boolean;
}): JSX.Element {
  const { isFixed, policy } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const editor = useEditor((base: ILevelBase) => {
    const { levels } = base.policy;
    const place = placeOf(levels, base.level);
    return new FormModel<LevelField, string>(
      toLevelDraft(base.level),
      async draft => {
        const request = withLevel(base, draft);
        await putPolicy(administration, request, 'levels', place);
        return trans.__('%1 was saved.', draft.level);
      }
    );
  });
  const onEdit = (level: PolicyLevel) => void editor.open({ policy, level });
  const { opened } = editor;
  return (
    <>
      <DataTable
        title={trans.__('Idle policy')}
        file="gpu-idle-policy"
        columns={levelColumns(trans, isFixed ? undefined : onEdit)}
        rows={levelsOf(policy)}
        idOf={({ level }) => level}
        sort={{ column: 'level', descending: false }}
        empty=""
        actions={
          isFixed ? null : (
            <NewButton
              editor={editor}
              label={trans.__('Add policy')}
              base={{ policy }}
            />
          )
        }
      />
      {opened ? (
        <LevelForm key={opened.count} editor={editor} opened={opened} />
      ) : null}
      <ExemptionSection policy={policy} isFixed={isFixed} />
    </>
  );
}

function LevelForm(props: {
  editor: IEditor<LevelField, ILevelBase>;
  opened: IOpened<LevelField, ILevelBase>;
}): JSX.Element {
  const { base, model } = props.opened;
  const { level, policy } = base;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const names = useLevelNames();
  useSignal(model.changed);
  const { draft } = model;
  const request = useMemo(() => withLevel(base, draft), [base, draft]);
  const name = level?.level ?? '';
  const isFree = (other: string) =>
    !policy.levels.some(each => each.level === other);
  const target = {
    model,
    name: 'level',
    label: trans.__('Applies to'),
    help: trans.__('Kind overrides project, project overrides everyone.')
  } as const;
  const rule = (id: FormRule) => ({
    model,
    name: id,
    label: ruleText(trans, id),
    help: ruleHelp(trans, id)
  });
  /** What holds where a rule is left empty. */
  const empty = (id: FormRule) => {
    const from = inherited(policy, draft.level, id);
    const value = setText(trans, from.rules, id);
    return value && trans.__('%1 (%2)', value, from.level);
  };
  const line = (id: FormRule) => (
    <TextField
      {...rule(id)}
      placeholder={empty(id)}
      autoComplete="off"
      spellCheck={false}
    />
  );
  return (
    <SettingForm
      editor={props.editor}
      model={model}
      title={
        level
          ? trans.__('Change the policy for %1', name)
          : trans.__('Add policy')
      }
      find={async () => {
        const now = await latest(administration.policy);
        const found = levelOf(now, name);
        return level && !found ? null : { policy: now, level: found };
      }}
      remove={
        level &&
        (async () =>
          (await removePart(administration, name, withoutLevel(base), trans))
            ? trans.__('%1 was deleted.', name)
            : undefined)
      }
      notice={<PastLine request={request} />}
    >
      {level ? (
        <TextField {...target} readOnly />
      ) : (
        <SelectField
          {...target}
          choices={[
            { value: '', label: trans.__('Choose…') },
            ...names.filter(isFree).map(value => ({ value, label: value }))
          ]}
        />
      )}
      {line('idle_timeout')}
      <SelectField
        {...rule('action')}
        choices={actionChoices(trans, empty('action'), draft.action)}
      />
      {line('warn_before')}
    </SettingForm>
  );
}

/** List the levels, weakest first; that of everyone is there though it may set nothing. */
function levelsOf(policy: Policy): PolicyLevel[] {
  const everyone = levelOf(policy, 'everyone');
  return [
    { level: BUILT_IN, rules: policy.built_in },
    ...(everyone ? [everyone] : []),
    ...policy.levels.filter(({ level }) => level !== 'everyone')
  ];
}

function useLevelNames(): readonly string[] {
  const projects = useResult(useUi().workspace.administration.projects);
  const names =
    projects.status === 'ready'
      ? projects.value.items
          .filter(({ name }) => !clusterOf(name))
          .map(({ name }) => `project:${name}`)
      : [];
  const kinds = ['interactive', 'interactive-spot', 'train'];
  return ['everyone', ...names, ...kinds.map(kind => `kind:${kind}`)];
}

function levelColumns(
  trans: TranslationBundle,
  onEdit?: (level: PolicyLevel) => void
): Column[] {
  const textOf = ({ rules }: PolicyLevel, rule: Rule) =>
    setText(trans, rules, rule);
  const column = (rule: Rule): Column => {
    const text = (level: PolicyLevel) => textOf(level, rule);
    return { id: rule, label: ruleText(trans, rule), text, sortKey: text };
  };
  const others = (level: PolicyLevel) =>
    RULES.slice(FORM_RULES.length)
      .filter(rule => textOf(level, rule))
      .map(rule => `${ruleText(trans, rule)}: ${textOf(level, rule)}`)
      .join(', ');
  return [
    {
      id: 'level',
      label: trans.__('Applies to'),
      text: ({ level }) => level,
      sortKey: ({ level }) => rank(level),
      cell: level => (
        <EditableName
          name={level.level}
          title={trans.__('Change the policy for %1', level.level)}
          isWhole
          onEdit={
            onEdit && level.level !== BUILT_IN ? () => onEdit(level) : undefined
          }
        />
      )
    },
    ...FORM_RULES.map(column),
    {
      id: 'others',
      label: trans.__('Other rules'),
      text: others,
      sortKey: others
    }
  ];
}

/** Sort from weak to strong. */
function rank(level: string): string {
  const order = [BUILT_IN, 'everyone', 'project', 'kind'];
  return `${order.indexOf(level.split(':')[0])} ${level}`;
}

/** The actions, and one of a newer server that is set. */
function actionChoices(
  trans: TranslationBundle,
  inheritedText: string,
  set: string
): IChoice[] {
  const choices = [
    { value: '', label: trans.__('Inherit: %1', inheritedText) },
    { value: 'suspend', label: trans.__('suspend') },
    { value: 'stop', label: trans.__('stop') },
    { value: 'notify', label: trans.__('notify') }
  ];
  const isKnown = choices.some(({ value }) => value === set);
  return isKnown ? choices : [...choices, { value: set, label: set }];
}
