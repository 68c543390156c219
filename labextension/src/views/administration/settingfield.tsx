import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useId } from 'react';
import { SettingModel } from '../../state/settings/settingmodel';
import { isLocalTime } from '../../state/settings/times';
import { Field, IChoice, IControl } from '../launch/fields';
import { useUi } from '../parts/ui';

/** How one field of a setting is shown in its form. */
export interface IFormField {
  readonly label: string;
  readonly help?: string;
  /** Whether it is a time that is picked, or a duration; otherwise a line of text. */
  readonly isTime?: boolean;
  /** The values that it can have. */
  readonly choices?: readonly IChoice[];
  /** Names that are proposed while the admin types. */
  readonly names?: readonly string[];
  /** Whether it has several names, with commas. */
  readonly isList?: boolean;
  /** What holds while it is empty. */
  readonly placeholder?: string;
  /** Whether it stays as it is once the setting is there. */
  readonly isFixed?: boolean;
}

interface IProps<Name extends string> {
  model: SettingModel<Name>;
  name: Name;
  field: IFormField;
  readOnly: boolean;
  autoFocus: boolean;
}

/** A field of a setting. */
export function SettingField<Name extends string>(
  props: IProps<Name>
): JSX.Element {
  const { field, model, name } = props;
  const { help, label } = field;
  return (
    <Field {...{ model, name, label, help }}>
      {control => (
        <div className="jp-GpuQuota-control">
          <Control {...props} control={control} />
        </div>
      )}
    </Field>
  );
}

function Control<Name extends string>(
  props: IProps<Name> & { control: IControl }
): JSX.Element {
  const { autoFocus, control, field, model, name, readOnly } = props;
  const value = model.draft[name];
  const onChange = (text: string) => setText(model, name, text);
  const common = { autoFocus, control, field, onChange, value };
  if (field.choices && !readOnly) {
    return <Choice {...common} choices={field.choices} />;
  }
  return field.isTime ? (
    <Until {...common} />
  ) : (
    <Line {...common} readOnly={readOnly} />
  );
}

interface IControlProps {
  autoFocus: boolean;
  control: IControl;
  field: IFormField;
  onChange: (text: string) => void;
  value: string;
}

function Choice(
  props: IControlProps & { choices: readonly IChoice[] }
): JSX.Element {
  const { autoFocus, choices, control, onChange, value } = props;
  const isKnown = choices.some(choice => choice.value === value);
  return (
    <HTMLSelect
      {...control}
      autoFocus={autoFocus}
      value={value}
      onChange={event => onChange(event.target.value)}
    >
      {isKnown ? null : <option value={value}>{value}</option>}
      {choices.map(choice => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </HTMLSelect>
  );
}

/** A line of text; names are proposed for what is typed last. */
function Line(props: IControlProps & { readOnly: boolean }): JSX.Element {
  const { autoFocus, control, field, onChange, readOnly, value } = props;
  const list = useId();
  const { isList, names = [], placeholder } = field;
  return (
    <>
      <input
        {...control}
        type="text"
        className="jp-GpuQuota-input"
        list={names.length ? list : undefined}
        value={value}
        placeholder={placeholder}
        readOnly={readOnly}
        autoFocus={autoFocus}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
      />
      {names.length ? (
        <datalist id={list}>
          {(isList ? continued(value, names) : names).map(text => (
            <option key={text} value={text} />
          ))}
        </datalist>
      ) : null}
    </>
  );
}

/** A time that is picked, or how long it is until then. */
function Until(props: IControlProps): JSX.Element {
  const { autoFocus, control, onChange, value } = props;
  const { trans } = useUi();
  const isTime = isLocalTime(value);
  return (
    <>
      <input
        {...control}
        type="datetime-local"
        className="jp-GpuQuota-input"
        value={isTime ? value : ''}
        autoFocus={autoFocus}
        onChange={event => onChange(event.target.value)}
      />
      <label className="jp-GpuQuota-orFor">
        {trans.__('or for')}
        <input
          type="text"
          className="jp-GpuQuota-input"
          aria-describedby={control['aria-describedby']}
          aria-invalid={control['aria-invalid']}
          value={isTime ? '' : value}
          placeholder={trans.__('e.g. 3 days')}
          autoComplete="off"
          spellCheck={false}
          onChange={event => onChange(event.target.value)}
        />
      </label>
    </>
  );
}

function setText<Name extends string>(
  model: SettingModel<Name>,
  name: Name,
  text: string
): void {
  model.set({ [name]: text } as Partial<Record<Name, string>>);
}

/** Return a list of names as it would be with one more of those that it lacks. */
function continued(text: string, names: readonly string[]): string[] {
  const [, before] = /^(.*[,\s])?[^,\s]*$/s.exec(text) ?? [];
  const there = new Set(text.split(/[\s,]+/));
  return names
    .filter(name => !there.has(name))
    .map(name => `${before ?? ''}${name}`);
}
