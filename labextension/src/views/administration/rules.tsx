import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Rules } from '../../api/models';
import { RulesField, rulesSubject } from '../../state/settings/rulessubject';
import { spanOf } from '../../state/settings/formvalues';
import { RuleBoard } from './ruleboard';
import { useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { useUi } from '../parts/ui';

/** Show what holds for all projects, and have it changed unless a file sets it. */
export function RulesSection(props: {
  rules: Rules;
  isFixed: boolean;
}): JSX.Element {
  const { rules, isFixed } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const subject = useMemo(() => rulesSubject(administration), [administration]);
  const editor = useEditor({
    subject,
    saved: () => trans.__('The rules were saved.')
  });
  const title = (
    <>
      {trans.__('Rules')}{' '}
      <span className="jp-GpuQuota-quiet">{trans.__('for all projects')}</span>
    </>
  );
  return (
    <RuleBoard
      title={title}
      lines={linesOf(rules, trans)}
      isFixed={isFixed}
      editor={editor}
      base={rules}
      texts={textsOf(trans)}
    />
  );
}

function linesOf(rules: Rules, trans: TranslationBundle): [string, string][] {
  const none = trans.__('none');
  const { grace, minimum, consolidate } = textsOf(trans).fields;
  return [
    [grace.label, spanOf(rules.grace) || none],
    [minimum.label, spanOf(rules.min_runtime) || none],
    [consolidate.label, rules.consolidate ? trans.__('yes') : trans.__('no')]
  ];
}

function textsOf(trans: TranslationBundle): IFormTexts<RulesField> {
  return {
    title: trans.__('Change rules'),
    fields: {
      grace: {
        label: trans.__('Time to save'),
        help: trans.__(
          'How long a reclaimed session has to save and shut down, e.g. 60 s, 10 min. Empty = none.'
        )
      },
      minimum: {
        label: trans.__('Protected for'),
        help: trans.__(
          'How long every session runs before it can be reclaimed, e.g. 10 min. Empty = none.'
        )
      },
      consolidate: {
        label: trans.__('Consolidate'),
        as: 'box',
        help: trans.__(
          'When only fragments of GPUs are free, move reclaimable sessions together to make room.'
        )
      }
    }
  };
}
