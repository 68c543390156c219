import { Notification } from '@jupyterlab/apputils';
import React from 'react';
import { SessionRequest, Template, TemplateRequest } from '../../api/models';
import { routes } from '../../api/routes';
import { toRequest } from '../../state/draft';
import { FormModel } from '../../state/formmodel';
import { LaunchModel } from '../../state/launch';
import { YES } from '../../state/settings/formvalues';
import { keyOf } from '../../state/templates/key';
import { showForm } from '../parts/formdialog';
import { report } from '../parts/report';
import { IUi, useResult, useUi } from '../parts/ui';
import { CheckField, SelectField, TextField } from './fields';

/** What is entered of a template, beside its request; `sure`: another one is replaced. */
type Texts = Record<
  'name' | 'title' | 'description' | 'on_shutdown' | 'sure',
  string
>;

/** The dialog's form; it is sent with a name, and if nothing is replaced unasked. */
class TemplateForm extends FormModel<keyof Texts, string> {
  constructor(
    texts: Texts,
    send: (texts: Readonly<Texts>) => Promise<string>,
    private _known: readonly Template[],
    private _trans: IUi['trans']
  ) {
    super(texts, send);
  }

  get name(): string {
    return this.draft.name.trim();
  }

  get replaces(): boolean {
    return this._known.some(({ name }) => name === this.name);
  }

  async send(): Promise<string | undefined> {
    const refuse = (field: string, message: string) =>
      this.refuse([{ field, message, hint: '' }]);
    if (!this.name) {
      refuse('name', this._trans.__('Enter a name.'));
      return undefined;
    }
    if (this.replaces && this.draft.sure !== YES) {
      refuse('sure', this._trans.__('Confirm, or choose another name.'));
      return undefined;
    }
    return super.send();
  }
}

/** Keep what is filled in under a name, where the controller keeps templates. */
export function SaveTemplate({
  model
}: {
  model: LaunchModel;
}): JSX.Element | null {
  const ui = useUi();
  const about = useResult(ui.workspace.about);
  const isAble =
    about.status === 'ready' && about.value.capabilities.includes('templates');
  return isAble ? (
    <button
      type="button"
      className="jp-GpuQuota-button"
      onClick={() =>
        void save(ui, model).catch(error => report(ui.trans, error))
      }
    >
      {ui.trans.__('Save as template…')}
    </button>
  ) : null;
}

async function save(ui: IUi, model: LaunchModel): Promise<void> {
  const { trans } = ui;
  const own = await ownTemplates(ui);
  const known = own.find(item => keyOf(item) === model.draft.template);
  const form = new TemplateForm(
    {
      name: known?.name || model.draft.name,
      title: known?.title ?? '',
      description: known?.description ?? '',
      on_shutdown: known?.on_shutdown ?? 'stop',
      sure: ''
    },
    texts => put(ui, model, texts),
    own,
    trans
  );
  const name = await showForm(ui, {
    title: trans.__('Save as template'),
    label: trans.__('Save'),
    model: form,
    fields: () => <Fields form={form} />
  });
  if (name) {
    model.set({ template: `own/${name}` });
    Notification.success(trans.__('Template %1 saved', name), {
      autoClose: 4000
    });
  }
}

function Fields({ form }: { form: TemplateForm }): JSX.Element {
  const { trans } = useUi();
  return (
    <>
      <TextField
        model={form}
        name="name"
        label={trans.__('Name')}
        spellCheck={false}
      />
      {form.replaces ? (
        <CheckField
          model={form}
          name="sure"
          label={trans.__('Replace the template %1', form.name)}
        />
      ) : null}
      <TextField
        model={form}
        name="title"
        label={trans.__('Title')}
        placeholder={form.draft.name}
      />
      <TextField
        model={form}
        name="description"
        label={trans.__('Description')}
      />
      <SelectField
        model={form}
        name="on_shutdown"
        label={trans.__('When its kernel is shut down')}
        choices={[
          { value: 'stop', label: trans.__('Stop the session') },
          { value: 'suspend', label: trans.__('Suspend the session') }
        ]}
      />
    </>
  );
}

/** Save a template, and return its name. */
async function put(
  { workspace, trans }: IUi,
  model: LaunchModel,
  { name: typed, title, description, on_shutdown }: Readonly<Texts>
): Promise<string> {
  const name = typed.trim();
  const request: Partial<SessionRequest> = toRequest(
    model.draft,
    trans
  ).request;
  delete request.name;
  await workspace.call(routes.templatesPut, {
    args: { scope: 'own', template: name },
    body: { title, description, on_shutdown, request } as TemplateRequest
  });
  await workspace.resource('templates').refresh();
  return name;
}

async function ownTemplates({ workspace }: IUi): Promise<Template[]> {
  const templates = workspace.resource('templates');
  await templates.refresh();
  const { result } = templates;
  return result.status === 'ready'
    ? result.value.items.filter(({ scope }) => scope === 'own')
    : [];
}
