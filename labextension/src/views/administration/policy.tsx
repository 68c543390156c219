import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useMemo } from 'react';
import { Policy, PolicyLevel } from '../../api/models';
import { clusterOf } from '../../state/quota';
import {
  FORM_RULES,
  FormRule,
  inherited,
  LevelField,
  Rule,
  RULES
} from '../../state/settings/policydraft';
import {
  ILevelBase,
  levelOf,
  levelSubject
} from '../../state/settings/policysubject';
import { IChoice } from '../launch/fields';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { ExemptionSection } from './exemptions';
import { ruleHelp, ruleText, setText } from './policytexts';
import { PastLine } from './pastline';
import { removeLevel } from './removingpolicy';
import { useEditor } from './settingeditor';
import { IFormField } from './settingfield';
import { IFormTexts } from './settingform';
import { SettingTable } from './settingtable';
import { useResult, useUi } from '../parts/ui';

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
  const names = useLevelNames();
  const subject = useMemo(() => levelSubject(administration), [administration]);
  const editor = useEditor({
    subject,
    saved: ({ level }) => trans.__('%1 was saved.', level.trim()),
    remove: base => removeLevel(administration, base, trans)
  });
  const columns = useCallback(
    (onEdit?: (level: PolicyLevel) => void) => levelColumns(trans, onEdit),
    [trans]
  );
  const baseOf = useCallback(
    (level?: PolicyLevel) => ({ policy, level }),
    [policy]
  );
  return (
    <>
      <SettingTable
        title={trans.__('Idle policy')}
        file="gpu-idle-policy"
        columns={columns}
        rows={levelsOf(policy)}
        idOf={({ level }) => level}
        sort="level"
        empty=""
        isFixed={isFixed}
        editor={editor}
        baseOf={baseOf}
        label={trans.__('Add policy')}
        textsOf={(base, draft) => ({
          ...textsOf(base, draft.level, names, trans),
          live: <PastLine subject={subject} base={base} draft={draft} />
        })}
      />
      <ExemptionSection policy={policy} isFixed={isFixed} />
    </>
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

function textsOf(
  { level, policy }: ILevelBase,
  name: string,
  names: readonly string[],
  trans: TranslationBundle
): IFormTexts<LevelField> {
  const isFree = (other: string) =>
    !policy.levels.some(each => each.level === other);
  const field = (rule: FormRule) => ruleField(policy, name, rule, trans);
  return {
    title: level
      ? trans.__('Change the policy for %1', level.level)
      : trans.__('Add policy'),
    fields: {
      level: {
        label: trans.__('Applies to'),
        help: trans.__('Kind overrides project, project overrides everyone.'),
        choices: [
          { value: '', label: trans.__('Choose…') },
          ...names.filter(isFree).map(value => ({ value, label: value }))
        ],
        isFixed: true
      },
      idle_timeout: field('idle_timeout'),
      action: field('action'),
      warn_before: field('warn_before')
    }
  };
}

/** Return how a rule is set, and what holds where the level leaves it empty. */
function ruleField(
  policy: Policy,
  level: string,
  rule: FormRule,
  trans: TranslationBundle
): IFormField {
  const from = inherited(policy, level, rule);
  const value = setText(trans, from.rules, rule);
  const text = trans.__('%1 (%2)', value, from.level);
  const field = {
    label: ruleText(trans, rule),
    help: ruleHelp(trans, rule)
  };
  return rule === 'action'
    ? { ...field, choices: actionChoices(trans, text) }
    : { ...field, placeholder: value && text };
}

function actionChoices(trans: TranslationBundle, text: string): IChoice[] {
  return [
    { value: '', label: trans.__('Inherit: %1', text) },
    { value: 'suspend', label: trans.__('suspend') },
    { value: 'stop', label: trans.__('stop') },
    { value: 'notify', label: trans.__('notify') }
  ];
}
