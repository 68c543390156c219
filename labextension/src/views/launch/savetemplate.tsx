import { Notification } from '@jupyterlab/apputils';
import React from 'react';
import { SessionRequest, Template, TemplateRequest } from '../../api/models';
import { routes } from '../../api/routes';
import { IDraft, toRequest } from '../../state/draft';
import { FormModel } from '../../state/formmodel';
import { LaunchModel } from '../../state/launch';
import { YES } from '../../state/settings/formvalues';
import { keyOf } from '../../state/templates/key';
import { showForm } from '../parts/formdialog';
import { IUi, useResult, useUi } from '../parts/ui';
import { CheckField, SelectField, TextField } from './fields';

/** What is entered of a template, beside its request; `sure`: another one is replaced. */
type Texts = Record<
  'name' | 'scope' | 'title' | 'description' | 'on_shutdown' | 'sure',
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
    const { scope } = this.draft;
    return this._known.some(
      known => known.name === this.name && known.scope === scope
    );
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

/** Ask for a name, and keep what is filled in under it. */
export async function saveTemplate(ui: IUi, model: LaunchModel): Promise<void> {
  const { trans } = ui;
  const theirs = (await templatesOf(ui)).filter(mayChange);
  const known = theirs.find(item => keyOf(item) === model.draft.template);
  const form = new TemplateForm(
    {
      name: known?.name || model.draft.name,
      scope: known?.scope ?? 'own',
      title: known?.title ?? '',
      description: known?.description ?? '',
      on_shutdown: known?.on_shutdown ?? 'stop',
      sure: ''
    },
    texts => put(ui, model, texts),
    theirs,
    trans
  );
  const saved = await showForm(ui, {
    title: trans.__('Save as template'),
    label: trans.__('Save'),
    model: form,
    fields: () => <Fields form={form} draft={model.draft} />
  });
  if (saved) {
    model.set({ template: saved });
    Notification.success(trans.__('Template %1 saved', form.name), {
      autoClose: 4000
    });
  }
}

function Fields(props: {
  form: TemplateForm;
  draft: Readonly<IDraft>;
}): JSX.Element {
  const { form } = props;
  const { on, project } = props.draft;
  const { workspace, trans } = useUi();
  const quota = useResult(workspace.quota);
  return (
    <>
      <TextField
        model={form}
        name="name"
        label={trans.__('Name')}
        spellCheck={false}
      />
      {quota.status === 'ready' && quota.value.admin ? (
        <SelectField
          model={form}
          name="scope"
          label={trans.__('For')}
          choices={[
            { value: 'own', label: trans.__('Me') },
            {
              value: 'admin',
              label: project
                ? trans.__('Everybody in %1', project)
                : trans.__('Everybody')
            }
          ]}
        />
      ) : null}
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
      {on ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__('The list of clusters is not saved.')}
        </p>
      ) : null}
    </>
  );
}

/** Save a template, and return its key. */
async function put(
  { workspace, trans }: IUi,
  model: LaunchModel,
  { name: typed, scope, title, description, on_shutdown }: Readonly<Texts>
): Promise<string> {
  const name = typed.trim();
  const request: Partial<SessionRequest> = toRequest(
    model.draft,
    trans
  ).request;
  delete request.name;
  // Where a request is tried is its own: a template can be one of these places.
  delete request.on;
  delete request.on_wait;
  await workspace.call(routes.templatesPut, {
    args: { scope, template: name },
    body: { title, description, on_shutdown, request } as TemplateRequest
  });
  await workspace.resource('templates').refresh();
  return `${scope}/${name}`;
}

const mayChange = ({ actions }: Template) => actions.includes('change');

async function templatesOf({ workspace }: IUi): Promise<readonly Template[]> {
  const templates = workspace.resource('templates');
  await templates.refresh();
  const { result } = templates;
  return result.status === 'ready' ? result.value.items : [];
}
