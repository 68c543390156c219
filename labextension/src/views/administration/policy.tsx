import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useMemo } from 'react';
import { Policy, PolicyLevel } from '../../api/models';
import { clusterOf } from '../../state/quota';
import {
  inherited,
  LevelField,
  Lock,
  lockOf,
  Rule,
  RULES
} from '../../state/settings/policydraft';
import {
  ILevelBase,
  levelOf,
  levelSubject
} from '../../state/settings/policysubject';
import { Draft } from '../../state/settings/settingmodel';
import { IChoice } from '../launch/fields';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { ExemptionSection } from './exemptions';
import { ruleHelp, ruleText, setText } from './policytexts';
import { removeLevel } from './removingpolicy';
import { useEditor } from './settingeditor';
import { IFormField } from './settingfield';
import { IFormTexts } from './settingform';
import { SettingTable } from './settingtable';
import { useResult, useUi } from '../parts/ui';

type Column = ITableColumn<PolicyLevel>;

/** The rules that have a column of their own; the others share one. */
const MAIN: readonly Rule[] = [
  'idle_timeout',
  'action',
  'warn_before',
  'gpu_idle_timeout',
  'keep_alive'
];
const BUILT_IN = 'built-in';
const ACTIONS: ReadonlySet<Rule> = new Set(['action', 'gpu_idle_action']);

/** Show what each level of the policy sets, and have it changed unless a file sets it. */
export function PolicySection(props: {
  policy: Policy;
  isFixed: boolean;
}): JSX.Element {
  const { isFixed, policy } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const names = useLevelNames();
  const subject = useMemo(
    () => levelSubject(administration, trans),
    [administration, trans]
  );
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
        textsOf={(base, draft) => textsOf(base, draft, names, trans)}
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
  const textOf = ({ rules }: PolicyLevel, rule: Rule) => {
    const text = setText(trans, rules, rule);
    return text && rules.locked.includes(rule)
      ? trans.__('%1 (locked)', text)
      : text;
  };
  const column = (rule: Rule): Column => {
    const text = (level: PolicyLevel) => textOf(level, rule);
    return { id: rule, label: ruleText(trans, rule), text, sortKey: text };
  };
  const others = (level: PolicyLevel) =>
    RULES.filter(rule => !MAIN.includes(rule) && textOf(level, rule))
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
    ...MAIN.map(column),
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
  draft: Draft<LevelField>,
  names: readonly string[],
  trans: TranslationBundle
): IFormTexts<LevelField> {
  const isFree = (name: string) =>
    !policy.levels.some(each => each.level === name);
  const fields = RULES.flatMap(rule => {
    const label = ruleText(trans, rule);
    return [
      [rule, ruleField(policy, draft.level, rule, trans)],
      [lockOf(rule), { label: trans.__('Lock %1', label), ...locking(rule) }]
    ];
  });
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
      ...(Object.fromEntries(fields) as Record<Rule | Lock, LevelFormField>)
    }
  };
}

type LevelFormField = IFormField<LevelField>;

function locking(rule: Rule): Pick<LevelFormField, 'as' | 'locks'> {
  return { as: 'box', locks: rule };
}

/** Return how a rule is set, and what holds where the level leaves it empty. */
function ruleField(
  policy: Policy,
  level: string,
  rule: Rule,
  trans: TranslationBundle
): LevelFormField {
  const from = inherited(policy, level, rule);
  const value =
    setText(trans, from.rules, rule) ||
    (rule === 'idle_timeout_max' ? trans.__('as the idle timeout') : '');
  const text = from.rules.locked.includes(rule)
    ? trans.__('%1 (locked by %2)', value, from.level)
    : trans.__('%1 (%2)', value, from.level);
  const field = {
    label: ruleText(trans, rule),
    help: ruleHelp(trans, rule)
  };
  return ACTIONS.has(rule)
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
