import React, { useCallback, useId, useRef, useState } from 'react';
import { ApiError, asApiError } from '../../api/errors';
import {
  Draft,
  ISubject,
  SettingModel
} from '../../state/settings/settingmodel';
import { ErrorNotice } from '../parts/controls';
import { mayLeave } from '../parts/confirm';
import { Problems } from '../launch/fields';
import { SettingForm, TextsOf } from './settingform';
import { useUi } from '../parts/ui';

/** The open form of a section, and the result of the last one. */
export interface IEditor<Field extends string, Base> {
  readonly model: SettingModel<Field, Base> | null;
  /** How many forms there were: each is a new one. */
  readonly count: number;
  readonly said: string;
  readonly failure: ApiError | undefined;
  /** What has the focus once the form is gone, unless it goes back to what opened it. */
  readonly button: React.RefObject<HTMLButtonElement>;
  open(base: Base): Promise<void>;
  close(): void;
  saved(): void;
  readonly remove?: () => Promise<void>;
}

interface IOptions<Field extends string, Base> {
  subject: ISubject<Field, Base>;
  /** What is said once a draft was saved. */
  saved: (draft: Draft<Field>) => string;
  /** Returns what is said, undefined where the admin changed their mind; throws ApiError. */
  remove?: (base: Base) => Promise<string | undefined>;
}

/** Keep the state of a section's form. */
export function useEditor<Field extends string, Base>(
  options: IOptions<Field, Base>
): IEditor<Field, Base> {
  const { trans } = useUi();
  const { subject } = options;
  const [model, setModel] = useState<SettingModel<Field, Base> | null>(null);
  const [count, setCount] = useState(0);
  const [said, say] = useState('');
  const [failure, fail] = useState<ApiError>();
  const button = useRef<HTMLButtonElement>(null);
  const opener = useRef<Element | null>(null);
  const open = useCallback(
    async (base: Base) => {
      const from = document.activeElement;
      if (model?.isDirty && !(await mayLeave(trans))) {
        return;
      }
      opener.current = from;
      setModel(new SettingModel(subject, base));
      setCount(before => before + 1);
      say('');
      fail(undefined);
    },
    [model, subject, trans]
  );
  const leave = (text: string, next = button.current) => {
    setModel(null);
    say(text);
    fail(undefined);
    next?.focus();
  };
  /** Return what opened the form, where that is still there: a row, say. */
  const back = () => {
    const from = opener.current;
    const isThere = from instanceof HTMLButtonElement && from.isConnected;
    return isThere ? from : button.current;
  };
  const remove = async () => {
    try {
      const text = model && (await options.remove?.(model.base));
      if (text) {
        leave(text);
      }
    } catch (thrown) {
      const error = asApiError(thrown);
      fail(error);
      if (error.code === 'Outdated') {
        await model?.reload(); // so that the next attempt is made from what is there
      }
    }
  };
  return {
    model,
    count,
    said,
    failure,
    button,
    open,
    close: () => leave('', back()),
    saved: () => leave(model ? options.saved(model.draft) : '', back()),
    remove: options.remove && remove
  };
}

/** Show the button for a new one, the form, and what became of the last one. */
export function Editor<Field extends string, Base>(props: {
  editor: IEditor<Field, Base>;
  /** What the button says, without one if absent, and what its form begins with. */
  label?: string;
  base: Base;
  textsOf: TextsOf<Field, Base>;
}): JSX.Element {
  const { editor } = props;
  const { model, failure, remove } = editor;
  const { trans } = useUi();
  const refused = useId();
  return (
    <>
      {failure ? <ErrorNotice trans={trans} error={failure} /> : null}
      {failure?.fields.length ? (
        <div role="alert">
          <Problems id={refused} problems={failure.fields} />
        </div>
      ) : null}
      <div className="jp-GpuQuota-buttons">
        {props.label ? (
          <button
            ref={editor.button}
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => void editor.open(props.base)}
          >
            {props.label}
          </button>
        ) : null}
        <span role="status">{editor.said}</span>
      </div>
      {model ? (
        <SettingForm
          key={editor.count}
          model={model}
          textsOf={props.textsOf}
          onSaved={editor.saved}
          onDelete={remove && (() => void remove())}
          onClose={editor.close}
        />
      ) : null}
    </>
  );
}
