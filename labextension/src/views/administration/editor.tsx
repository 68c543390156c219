import React, { useEffect, useId, useRef, useState } from 'react';
import { FormModel } from '../../state/formmodel';
import { Problems } from '../launch/fields';
import { mayLeave } from '../parts/confirm';
import { ErrorNotice } from '../parts/controls';
import { isNear, useUi } from '../parts/ui';

/** The open form of a section: what it was made from, and what is typed. */
export interface IOpened<Field extends string, Base> {
  readonly base: Base;
  /** Sending it resolves to what is said then. */
  readonly model: FormModel<Field, string>;
  /** How many forms there were: each is a new one. */
  readonly count: number;
}

export interface IEditor<Field extends string, Base> {
  readonly opened?: IOpened<Field, Base>;
  /** What is said of the last form. */
  readonly said: string;
  /** Opens the form of a new one. */
  readonly button: React.RefObject<HTMLButtonElement>;
  /** The form that is open. */
  readonly form: React.RefObject<HTMLFormElement>;
  /** Open a form, unless the admin stays in the one that is open. */
  open(base: Base): Promise<void>;
  /** Go on from how it is now; what was typed is lost. */
  renew(base: Base): void;
  /**
   * The focus goes back to what opened the form, or, where that is gone, to the button, unless it has
   * left the form.
   */
  close(said?: string, isGone?: boolean): void;
}

/** Keep the state of a section's form. */
export function useEditor<Field extends string, Base>(
  make: (base: Base) => FormModel<Field, string>
): IEditor<Field, Base> {
  const { trans } = useUi();
  const [opened, setOpened] = useState<IOpened<Field, Base>>();
  const [said, say] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const opener = useRef<Element | null>(null);
  const renew = (base: Base) => {
    const count = (opened?.count ?? 0) + 1;
    setOpened({ base, model: make(base), count });
    say('');
  };
  return {
    opened,
    said,
    button,
    form,
    renew,
    open: async base => {
      const from = document.activeElement;
      if (!opened?.model.isDirty || (await mayLeave(trans))) {
        opener.current = from;
        renew(base);
      }
    },
    close: (text = '', isGone = false) => {
      const from = opener.current;
      const isThere = from instanceof HTMLButtonElement && from.isConnected;
      setOpened(undefined);
      say(text);
      if (isNear(form.current)) {
        (isThere && !isGone ? from : button.current)?.focus();
      }
    }
  };
}

/** What became of the last form, and the button for a new one; without a label, there is none. */
export function NewButton<Field extends string, Base>(props: {
  editor: IEditor<Field, Base>;
  label?: string;
  base: Base;
}): JSX.Element {
  const { base, editor, label } = props;
  return (
    <>
      <span role="status">{editor.said}</span>
      {label ? (
        <button
          ref={editor.button}
          type="button"
          className="jp-GpuQuota-button"
          onClick={() => void editor.open(base)}
        >
          {label}
        </button>
      ) : null}
    </>
  );
}

interface IFormProps<Field extends string, Base> {
  editor: IEditor<Field, Base>;
  model: FormModel<Field, string>;
  title: string;
  /** Look at it as it is now: null where it is gone. Throws ApiError. */
  find: () => Promise<Base | null>;
  /** Resolves to what is said, undefined where the admin changed their mind. Throws ApiError. */
  remove?: () => Promise<string | undefined>;
  /** Show what the change would do. */
  onPreview?: () => void;
  /** What is known of that. */
  effect?: React.ReactNode;
  /** What has to be known before anything is applied. */
  notice?: React.ReactNode;
  /** The fields. */
  children: React.ReactNode;
}

/** A form in which an admin creates or changes a setting. */
export function SettingForm<Field extends string, Base>(
  props: IFormProps<Field, Base>
): JSX.Element {
  const { editor, model, remove } = props;
  const { trans } = useUi();
  const { form } = editor;
  const id = useId();
  const { failure, isSending, otherProblems } = model;
  const focus = (what: string) =>
    form.current?.querySelector<HTMLElement>(what)?.focus();
  // Its foot would stand before its fields where it began at the lower edge.
  useEffect(() => {
    focus('input:not([readonly]), select');
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  useEffect(() => {
    if (isNear(form.current)) {
      focus('[aria-invalid="true"]');
    }
  }, [model.refusals]);
  const apply = async () => {
    const said = await model.send();
    if (said) {
      editor.close(said);
    }
  };
  const reload = async () => {
    const base = await model.attempt(props.find);
    if (base) {
      editor.renew(base);
    } else if (base === null) {
      editor.close(trans.__('It was deleted.'), true);
    }
  };
  const onDelete = async () => {
    const said = remove && (await model.attempt(remove));
    if (said) {
      editor.close(said, true);
    }
  };
  const button = (
    label: string,
    onClick: () => void,
    isDisabled = isSending
  ) => (
    <button
      type="button"
      className="jp-GpuQuota-button"
      aria-disabled={isDisabled}
      onClick={onClick}
    >
      {label}
    </button>
  );
  return (
    <form
      ref={form}
      className="jp-GpuQuota-form jp-GpuQuota-settingForm"
      aria-labelledby={`${id}-title`}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void apply();
      }}
    >
      <h4 id={`${id}-title`}>{props.title}</h4>
      {props.children}
      <div className="jp-GpuQuota-formFoot">
        {props.notice}
        {failure ? <ErrorNotice trans={trans} error={failure} /> : null}
        {failure?.code === 'Outdated'
          ? button(
              trans.__('Discard my changes and reload'),
              () => void reload()
            )
          : null}
        {otherProblems.length ? (
          <div role="alert">
            <Problems id={`${id}-others`} problems={otherProblems} />
          </div>
        ) : null}
        <div role="status">
          {isSending ? (
            <p className="jp-GpuQuota-quiet">{trans.__('Please wait…')}</p>
          ) : null}
          {props.effect}
        </div>
        <div className="jp-GpuQuota-buttons">
          <button
            type="submit"
            className="jp-GpuQuota-button jp-mod-accept"
            aria-disabled={isSending}
          >
            {trans.__('Apply')}
          </button>
          {props.onPreview
            ? button(trans.__('Preview'), props.onPreview)
            : null}
          {button(trans.__('Cancel'), () => editor.close(), false)}
          {remove ? button(trans.__('Delete…'), () => void onDelete()) : null}
        </div>
      </div>
    </form>
  );
}
