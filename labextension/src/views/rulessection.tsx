import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useMemo } from 'react';
import { Rules } from '../api/models';
import { RulesField, rulesSubject } from '../state/rulessubject';
import { spanOf } from '../state/typed';
import { Editor, useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { useUi } from './ui';

/** Show what holds for all projects, and have it changed unless a file sets it. */
export function RulesSection(props: {
  rules: Rules;
  isFixed: boolean;
}): JSX.Element {
  const { rules, isFixed } = props;
  const { quota, trans } = useUi();
  const { administration } = quota;
  const heading = useId();
  const subject = useMemo(() => rulesSubject(administration), [administration]);
  const editor = useEditor({
    subject,
    saved: () => trans.__('The rules were saved.')
  });
  return (
    <>
      <section className="jp-GpuQuota-board" aria-labelledby={heading}>
        <header className="jp-GpuQuota-boardHead">
          <h3 id={heading}>
            {trans.__('Rules')}{' '}
            <span className="jp-GpuQuota-quiet">
              {trans.__('for all projects')}
            </span>
          </h3>
        </header>
        <dl className="jp-GpuQuota-rules">
          {linesOf(rules, trans).map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      {isFixed ? null : (
        <Editor
          editor={editor}
          label={trans.__('Change rules')}
          base={rules}
          textsOf={() => textsOf(trans)}
        />
      )}
    </>
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
        label: trans.__('Grace'),
        help: trans.__(
          'How long a reclaimed session has to end by itself: 60s, 10m. Empty: no time at all.'
        )
      },
      minimum: {
        label: trans.__('Runs at least'),
        help: trans.__(
          'How long every session runs before it may be reclaimed: 10m. Empty: no such time.'
        )
      },
      consolidate: {
        label: trans.__('Consolidate'),
        isBox: true,
        help: trans.__(
          'Sessions that may be reclaimed are stopped and start elsewhere, to make room where only fragments of GPUs are free.'
        )
      }
    }
  };
}
