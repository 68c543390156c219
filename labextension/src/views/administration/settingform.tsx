import React, { useEffect, useId, useRef } from 'react';
import { Draft, SettingModel } from '../../state/settings/settingmodel';
import { instantOf, isLocalTime } from '../../state/settings/times';
import { ErrorNotice, Notice } from '../parts/controls';
import { Problems } from '../launch/fields';
import { EffectOf } from './projecteffect';
import { IFormField, SettingField } from './settingfield';
import { timeText } from '../parts/texts';
import { useSignal, useUi } from '../parts/ui';

/** How a setting is shown in its form. */
export interface IFormTexts<Field extends string> {
  readonly title: string;
  readonly fields: Readonly<Record<Field, IFormField>>;
  /** What has to be known before anything is typed. */
  readonly notice?: string;
  /** What the change would do, as it is typed; without it, that is shown on request. */
  readonly live?: React.ReactNode;
}

/** Return how a setting is shown, from what is there and what was typed. */
export type TextsOf<Field extends string, Base> = (
  base: Base,
  draft: Draft<Field>
) => IFormTexts<Field>;

interface IProps<Field extends string, Base> {
  model: SettingModel<Field, Base>;
  textsOf: TextsOf<Field, Base>;
  onSaved: () => void;
  onDelete?: () => void;
  onClose: () => void;
}

/** The form in which an admin creates or changes a setting. */
export function SettingForm<Field extends string, Base>(
  props: IProps<Field, Base>
): JSX.Element {
  const { model } = props;
  const form = useRef<HTMLFormElement>(null);
  const title = useId();
  useSignal(model.changed);
  const texts = props.textsOf(model.base, model.draft);
  // Its foot would stand before its fields where it began at the lower edge.
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const focus = (name?: Field) =>
    form.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
  const focusBroken = () => focus(model.firstBroken);
  const reload = async () => {
    await model.reload();
    focus(model.conflicts[0]?.field ?? firstOpen(model, texts));
  };
  const apply = async () => {
    if (await model.apply()) {
      props.onSaved();
    } else {
      focusBroken();
    }
  };
  return (
    <form
      ref={form}
      className="jp-GpuQuota-form jp-GpuQuota-settingForm"
      aria-labelledby={title}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void apply();
      }}
    >
      <h4 id={title}>{texts.title}</h4>
      <Fields model={model} texts={texts} />
      <div className="jp-GpuQuota-formFoot">
        {texts.live}
        {texts.notice ? <Notice>{texts.notice}</Notice> : null}
        <Outcome model={model} texts={texts} onReload={() => void reload()} />
        <Buttons
          isBusy={!!model.busy}
          onTry={
            texts.live ? undefined : () => void model.try().then(focusBroken)
          }
          onDelete={model.isThere ? props.onDelete : undefined}
          onClose={props.onClose}
        />
      </div>
    </form>
  );
}

/** Return the first field that can be typed into. */
function firstOpen<Field extends string>(
  model: SettingModel<Field>,
  { fields }: IFormTexts<Field>
): Field | undefined {
  return model.fields.find(name => !(model.isThere && fields[name].isFixed));
}

function Fields<Field extends string>(props: {
  model: SettingModel<Field>;
  texts: IFormTexts<Field>;
}): JSX.Element {
  const { model, texts } = props;
  const first = firstOpen(model, texts);
  return (
    <>
      {model.fields.map(name => (
        <SettingField
          key={name}
          model={model}
          name={name}
          field={texts.fields[name]}
          readOnly={!!texts.fields[name].isFixed && model.isThere}
          autoFocus={name === first}
        />
      ))}
    </>
  );
}

function Buttons(props: {
  isBusy: boolean;
  onTry?: () => void;
  onDelete?: () => void;
  onClose: () => void;
}): JSX.Element {
  const { isBusy, onDelete, onTry } = props;
  const { trans } = useUi();
  return (
    <div className="jp-GpuQuota-buttons">
      <button
        type="submit"
        className="jp-GpuQuota-button jp-mod-accept"
        aria-disabled={isBusy}
      >
        {trans.__('Apply')}
      </button>
      {onTry ? (
        <button
          type="button"
          className="jp-GpuQuota-button"
          aria-disabled={isBusy}
          onClick={onTry}
        >
          {trans.__('Preview')}
        </button>
      ) : null}
      <button
        type="button"
        className="jp-GpuQuota-button"
        onClick={props.onClose}
      >
        {trans.__('Cancel')}
      </button>
      {onDelete ? (
        <button
          type="button"
          className="jp-GpuQuota-button"
          aria-disabled={isBusy}
          onClick={onDelete}
        >
          {trans.__('Delete…')}
        </button>
      ) : null}
    </div>
  );
}

/** The result of a preview, of applying or of reloading. */
function Outcome<Field extends string>(props: {
  model: SettingModel<Field>;
  texts: IFormTexts<Field>;
  onReload: () => void;
}): JSX.Element {
  const { model, texts } = props;
  const { trans } = useUi();
  const others = useId();
  const { busy, effect, failure, otherProblems } = model;
  return (
    <>
      {failure ? <ErrorNotice trans={trans} error={failure} /> : null}
      {failure?.code === 'Outdated' ? (
        <button
          type="button"
          className="jp-GpuQuota-button"
          onClick={props.onReload}
        >
          {trans.__('Merge with my changes')}
        </button>
      ) : null}
      {otherProblems.length ? (
        <div role="alert">
          <Problems id={others} problems={otherProblems} />
        </div>
      ) : null}
      <div role="status">
        {busy ? (
          <p className="jp-GpuQuota-quiet">{trans.__('Please wait…')}</p>
        ) : null}
        {model.reloaded ? <Reloaded model={model} texts={texts} /> : null}
        {effect ? <EffectOf effect={effect} /> : null}
      </div>
    </>
  );
}

function Reloaded<Field extends string>(props: {
  model: SettingModel<Field>;
  texts: IFormTexts<Field>;
}): JSX.Element {
  const { conflicts, isGone } = props.model;
  const { trans } = useUi();
  const { fields } = props.texts;
  return (
    <>
      <p>
        {isGone
          ? trans.__('It was deleted. Apply creates it again.')
          : trans.__(
              'The current settings were loaded. Your changes were kept.'
            )}
      </p>
      {conflicts.length ? (
        <ul>
          {conflicts.map(({ field, theirs }) => (
            <li key={field}>
              {trans.__(
                '%1 was set to “%2”. Apply uses your value.',
                fields[field].label,
                valueText(fields[field], theirs)
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** Return a value in words: a time, or what was typed. */
function valueText({ isTime }: IFormField, value: string): string {
  return isTime && isLocalTime(value) ? timeText(instantOf(value)) : value;
}
