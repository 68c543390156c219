import { Dialog } from '@jupyterlab/apputils';
import React, { useEffect, useRef } from 'react';
import { FormModel } from '../../state/formmodel';
import { Problems } from '../launch/fields';
import { ErrorNotice } from './controls';
import { IUi, LiveWidget, useSignal, useUi } from './ui';
import '../datasets/style';

/** A dialog that stays until the server has accepted its form. */
class FormDialog<Result> extends Dialog<unknown> {
  constructor(
    options: Partial<Dialog.IOptions<unknown>>,
    private _model: { send(): Promise<Result | undefined> }
  ) {
    super(options);
    this._all = options.buttons ?? [];
  }

  /** What the server has answered; undefined if the user has cancelled. */
  get outcome(): Result | undefined {
    return this._outcome;
  }

  resolve(index = this._all.length - 1): void {
    if (this._all[index]?.accept) {
      void this._submit(index);
    } else {
      super.resolve(index);
    }
  }

  private async _submit(index: number): Promise<void> {
    const outcome = await this._model.send();
    if (this.isDisposed) {
      return; // cancelled meanwhile
    }
    if (outcome !== undefined) {
      this._outcome = outcome;
      super.resolve(index);
    }
  }

  private _all: readonly Dialog.IButton[];
  private _outcome?: Result;
}

interface IFormOptions<Name extends string, Result> {
  title: string;
  /** What the button says that sends it. */
  label: string;
  /** The control that has the focus first. */
  focus?: string;
  /** Whether what is sent is hard to undo. */
  isWarning?: boolean;
  model: FormModel<Name, Result>;
  fields: () => React.ReactNode;
}

/** Show a form in a dialog until it was sent; null if the user cancels. */
export async function showForm<Name extends string, Result>(
  ui: IUi,
  options: IFormOptions<Name, Result>
): Promise<Result | null> {
  try {
    return await launch(makeDialog(ui, options));
  } finally {
    options.model.dispose();
  }
}

async function launch<Result>(
  dialog: FormDialog<Result>
): Promise<Result | null> {
  await dialog.launch();
  return dialog.outcome ?? null;
}

function makeDialog<Name extends string, Result>(
  ui: IUi,
  options: IFormOptions<Name, Result>
): FormDialog<Result> {
  const { fields, isWarning, label, model, title } = options;
  const body = new LiveWidget(ui, <Body model={model} fields={fields} />, []);
  body.addClass('jp-GpuQuota-dialogBody');
  const accept = isWarning ? Dialog.warnButton : Dialog.okButton;
  return new FormDialog<Result>(
    {
      title,
      body,
      focusNodeSelector: options.focus ?? 'input, select, textarea',
      buttons: [
        Dialog.cancelButton({ label: ui.trans.__('Cancel') }),
        accept({ label })
      ]
    },
    model
  );
}

function Body<Name extends string, Result>(props: {
  model: FormModel<Name, Result>;
  fields: () => React.ReactNode;
}): JSX.Element {
  const { trans } = useUi();
  const { model } = props;
  const form = useRef<HTMLDivElement>(null);
  useSignal(model.changed);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [model.refusals]);
  const others = model.otherProblems;
  return (
    <div
      ref={form}
      className="jp-GpuQuota-dialogForm"
      aria-busy={model.isSending}
    >
      {props.fields()}
      {others.length ? (
        <div role="alert">
          <Problems id="" problems={others} />
        </div>
      ) : null}
      {model.failure ? (
        <ErrorNotice trans={trans} error={model.failure} />
      ) : null}
      <p className="jp-GpuQuota-quiet" role="status">
        {model.isSending ? trans.__('Sending…') : ''}
      </p>
    </div>
  );
}
