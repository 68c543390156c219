import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useMemo } from 'react';
import { Exemption, Policy } from '../../api/models';
import { clusterOf } from '../../state/quota';
import {
  ExemptionField,
  exemptionSubject
} from '../../state/settings/policysubject';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { PastLine } from './pastline';
import { removeExemption } from './removingpolicy';
import { NameOf, useSessionNames, whoText } from '../parts/sessionnames';
import { useEditor } from './settingeditor';
import { usePeople } from './people';
import { IFormTexts } from './settingform';
import { SettingTable } from './settingtable';
import { timeText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

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
  const whom = useWhom();
  const subject = useMemo(
    () => exemptionSubject(administration),
    [administration]
  );
  const editor = useEditor({
    subject,
    saved: ({ who }) => trans.__('%1 is exempt.', whoText(who.trim(), nameOf)),
    remove: base => removeExemption(administration, base, nameOf, trans)
  });
  const columns = useCallback(
    (onEdit?: (exemption: Exemption) => void) =>
      exemptionColumns(nameOf, trans, onEdit),
    [nameOf, trans]
  );
  const baseOf = useCallback(
    (exemption?: Exemption) => ({ policy, exemption }),
    [policy]
  );
  return (
    <SettingTable
      title={trans.__('Exemptions')}
      file="gpu-idle-exemptions"
      columns={columns}
      rows={policy.exemptions}
      idOf={({ reason, until, who }) => [who, until, reason].join(' ')}
      sort="who"
      empty={trans.__('No exemptions.')}
      isFixed={isFixed}
      editor={editor}
      baseOf={baseOf}
      label={trans.__('New exemption')}
      textsOf={(base, draft) => ({
        ...textsOf(base.exemption, whom, nameOf, trans),
        live: <PastLine subject={subject} base={base} draft={draft} />
      })}
    />
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

function textsOf(
  exemption: Exemption | undefined,
  whom: readonly string[],
  nameOf: NameOf,
  trans: TranslationBundle
): IFormTexts<ExemptionField> {
  return {
    title: exemption
      ? trans.__('Change the exemption of %1', whoText(exemption.who, nameOf))
      : trans.__('New exemption'),
    fields: {
      who: {
        label: trans.__('Who'),
        help: trans.__('user:NAME, project:NAME or session:NAME (or ID)'),
        names: whom
      },
      until: {
        label: trans.__('Until'),
        help: trans.__('In the time zone of this browser.'),
        isTime: true
      },
      reason: {
        label: trans.__('Reason'),
        help: trans.__('Why the exemption is needed, for other admins.')
      }
    }
  };
}
