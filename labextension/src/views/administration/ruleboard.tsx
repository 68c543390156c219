import React, { useId } from 'react';
import { Editor, IEditor } from './settingeditor';
import { IFormTexts } from './settingform';

/** Show rules, a line each, and the form that changes them unless a file sets them. */
export function RuleBoard<Field extends string, Base>(props: {
  title: React.ReactNode;
  lines: [label: string, text: string][];
  isFixed: boolean;
  editor: IEditor<Field, Base>;
  base: Base;
  texts: IFormTexts<Field>;
}): JSX.Element {
  const { texts } = props;
  const heading = useId();
  return (
    <>
      <section className="jp-GpuQuota-board" aria-labelledby={heading}>
        <header className="jp-GpuQuota-boardHead">
          <h3 id={heading}>{props.title}</h3>
        </header>
        <dl className="jp-GpuQuota-rules">
          {props.lines.map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      {props.isFixed ? null : (
        <Editor
          editor={props.editor}
          label={texts.title}
          base={props.base}
          textsOf={() => texts}
        />
      )}
    </>
  );
}
