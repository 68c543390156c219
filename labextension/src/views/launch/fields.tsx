import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useId } from 'react';
import { FieldProblem } from '../../api/models';
import { boxOf, YES } from '../../state/settings/formvalues';

/** What the control of a field has to carry, so that label, help and problems belong to it. */
export interface IControl {
  id: string;
  name: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** The model of a form: a text for every field, and what is wrong with it. */
export interface IFields<Name extends string> {
  readonly draft: Readonly<Record<Name, string>>;
  problemsOf(name: Name): FieldProblem[];
  set(values: Partial<Record<Name, string>>): void;
}

interface IField<Name extends string> {
  model: IFields<Name>;
  name: Name;
  label: string;
  help?: string;
}

/** A label, a control, a line of help, and what is wrong with the value. */
export function Field<Name extends string>(
  props: IField<Name> & {
    isBox?: boolean;
    children: (control: IControl) => React.ReactNode;
  }
): JSX.Element {
  const { model, name, label, help } = props;
  const id = useId();
  const problems = model.problemsOf(name);
  const describedBy = [
    help ? `${id}-help` : '',
    problems.length ? `${id}-problems` : ''
  ].filter(Boolean);
  return (
    <div className={`jp-GpuQuota-field${props.isBox ? ' jp-mod-box' : ''}`}>
      <label htmlFor={id}>{label}</label>
      {props.children({
        id,
        name,
        'aria-describedby': describedBy.join(' ') || undefined,
        'aria-invalid': problems.length ? true : undefined
      })}
      {help ? (
        <p id={`${id}-help`} className="jp-GpuQuota-quiet">
          {help}
        </p>
      ) : null}
      <Problems id={`${id}-problems`} problems={problems} />
    </div>
  );
}

/** What is wrong with a field. */
export function Problems(props: {
  id: string;
  problems: readonly FieldProblem[];
}): JSX.Element | null {
  if (!props.problems.length) {
    return null;
  }
  return (
    <ul id={props.id} className="jp-GpuQuota-problems">
      {props.problems.map(({ field, message, hint }) => (
        <li key={field + message}>
          {[message, hint].filter(Boolean).join(' ')}
        </li>
      ))}
    </ul>
  );
}

/** A field with one line of text, and a button beside it if there is a child. */
export function TextField<Name extends string>({
  model,
  name,
  label,
  help,
  children,
  ...rest
}: IField<Name> & React.InputHTMLAttributes<HTMLInputElement>): JSX.Element {
  return (
    <Field {...{ model, name, label, help }}>
      {control => {
        const input = (
          <input
            type="text"
            className="jp-GpuQuota-input"
            value={model.draft[name]}
            onChange={event => model.set(only(name, event.target.value))}
            {...rest}
            {...control}
          />
        );
        return children ? (
          <div className="jp-GpuQuota-withButton">
            {input}
            {children}
          </div>
        ) : (
          input
        );
      }}
    </Field>
  );
}

/** A field with an input of several lines. */
export function AreaField<Name extends string>(
  props: IField<Name>
): JSX.Element {
  const { model, name } = props;
  return (
    <Field {...props}>
      {control => (
        <textarea
          {...control}
          className="jp-GpuQuota-input"
          rows={3}
          spellCheck={false}
          value={model.draft[name]}
          onChange={event => model.set(only(name, event.target.value))}
        />
      )}
    </Field>
  );
}

/** A field with a checkbox. */
export function CheckField<Name extends string>({
  model,
  name,
  label,
  help
}: IField<Name>): JSX.Element {
  return (
    <Field {...{ model, name, label, help }} isBox>
      {control => (
        <input
          type="checkbox"
          checked={model.draft[name] === YES}
          onChange={event => model.set(only(name, boxOf(event.target.checked)))}
          {...control}
        />
      )}
    </Field>
  );
}

/** One choice of a select; `problem` is why it cannot be chosen. */
export interface IChoice {
  value: string;
  label: string;
  problem?: string;
}

/** A field with a few choices. `value` is the default until the user chooses. */
export function SelectField<Name extends string>(
  props: IField<Name> & { choices: readonly IChoice[]; value?: string }
): JSX.Element {
  const { model, name } = props;
  return (
    <Field {...props}>
      {control => (
        <HTMLSelect
          {...control}
          value={model.draft[name] || props.value}
          onChange={event => model.set(only(name, event.target.value))}
        >
          {props.choices.map(({ value, label, problem }) => (
            <option key={value} value={value} disabled={!!problem}>
              {problem ? `${label} – ${problem}` : label}
            </option>
          ))}
        </HTMLSelect>
      )}
    </Field>
  );
}

function only<Name extends string>(
  name: Name,
  value: string
): Partial<Record<Name, string>> {
  return { [name]: value } as Partial<Record<Name, string>>;
}
