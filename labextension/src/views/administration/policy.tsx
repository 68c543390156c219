import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useMemo } from 'react';
import { Policy, PolicyLevel } from '../../api/models';
import { LevelField, Rule, RULES } from '../../state/settings/policydraft';
import { levelOf, levelSubject } from '../../state/settings/policysubject';
import { choicesText } from './choices';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { ExemptionSection } from './exemptions';
import { ruleHelp, ruleText, setText } from './policytexts';
import { removeLevel } from './removingpolicy';
import { useEditor } from './settingeditor';
import { IFormField, IFormTexts } from './settingform';
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
        textsOf={({ level }) => textsOf(level, names, trans)}
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
      ? projects.value.items.map(({ name }) => `project:${name}`)
      : [];
  const kinds = ['interactive', 'interactive-spot', 'train'];
  return [...names, ...kinds.map(kind => `kind:${kind}`)];
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
      .map(rule => `${rule}=${textOf(level, rule)}`)
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
  level: PolicyLevel | undefined,
  names: readonly string[],
  trans: TranslationBundle
): IFormTexts<LevelField> {
  const rules = Object.fromEntries(
    RULES.map(rule => [
      rule,
      {
        label: ruleText(trans, rule),
        // Messages, files and the shell call it by its own name.
        help: trans.__('%1 (%2)', ruleHelp(trans, rule), rule)
      }
    ])
  ) as Record<Rule, IFormField>;
  return {
    title: level
      ? trans.__('Change the policy for %1', level.level)
      : trans.__('Add policy'),
    fields: {
      level: {
        label: trans.__('Applies to'),
        help: [
          trans.__('Kind overrides project. Empty = inherit.'),
          choicesText(names, trans)
        ]
          .filter(Boolean)
          .join(' '),
        isFixed: true
      },
      ...rules,
      locked: {
        label: trans.__('Cannot be overridden'),
        help: trans.__(
          'Comma-separated rules that stronger levels must not set, e.g. idle_timeout, warn_before.'
        )
      }
    }
  };
}
