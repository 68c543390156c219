import { InputDialog, Notification } from '@jupyterlab/apputils';
import React from 'react';
import { SessionRequest, Template } from '../../api/models';
import { routes } from '../../api/routes';
import { LaunchModel } from '../../state/launch';
import { toRequest } from '../../state/draft';
import { fromTemplate } from '../../state/templates/draft';
import { keyOf } from '../../state/templates/key';
import { confirm } from '../parts/confirm';
import { report } from '../parts/report';
import { IUi, useResult, useUi } from '../parts/ui';
import { SelectField } from './fields';

/** The templates from which the form can be filled in, where there are any. */
export function TemplateField(props: {
  model: LaunchModel;
}): JSX.Element | null {
  const { model } = props;
  const ui = useUi();
  const { workspace, trans } = ui;
  const result = useResult(workspace.resource('templates'));
  const items = result.status === 'ready' ? result.value.items : [];
  if (!items.length) {
    return null;
  }
  const fields = {
    draft: model.draft,
    problemsOf: () => [],
    set: (values: { template?: string }) => {
      const found = items.find(item => keyOf(item) === values.template);
      model.set(
        found
          ? fromTemplate(found, model.draft)
          : { template: values.template ?? '' }
      );
    }
  };
  const chosen = items.find(item => keyOf(item) === model.draft.template);
  return (
    <>
      <SelectField
        model={fields}
        name="template"
        label={trans.__('Template')}
        choices={[
          { value: '', label: trans.__('None') },
          ...items.map(item => ({
            value: keyOf(item),
            label: item.title || item.name
          }))
        ]}
      />
      {chosen?.actions.includes('delete') ? (
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={() =>
            void remove(ui, model, chosen).catch(error => report(trans, error))
          }
        >
          {trans.__('Delete template…')}
        </button>
      ) : null}
    </>
  );
}

async function remove(
  { workspace, trans }: IUi,
  model: LaunchModel,
  template: Template
): Promise<void> {
  const { name, scope } = template;
  const isSure = await confirm(
    trans.__('Delete the template %1?', name),
    [trans.__('Sessions that were launched from it stay.')],
    trans.__('Delete'),
    trans
  );
  if (isSure) {
    const args = { scope, template: name };
    await workspace.call(routes.templatesDelete, { args });
    model.set({ template: '' });
    await workspace.resource('templates').refresh();
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
  const { workspace, trans } = ui;
  const title = trans.__('Save as template');
  const { button, value } = await InputDialog.getText({
    title,
    label: trans.__('Name'),
    okLabel: trans.__('Save'),
    text: model.draft.template.replace(/^.*\//, '') || model.draft.name
  });
  const name = value?.trim();
  if (!button.accept || !name) {
    return;
  }
  const templates = workspace.resource('templates');
  await templates.refresh();
  const { result } = templates;
  const known = result.status === 'ready' ? result.value.items : [];
  const key = `own/${name}`;
  const isNew = !known.some(item => keyOf(item) === key);
  if (isNew || (await confirmReplacing(ui, name))) {
    const request: Partial<SessionRequest> = toRequest(
      model.draft,
      trans
    ).request;
    delete request.name;
    await workspace.call(routes.templatesPut, {
      args: { scope: 'own', template: name },
      body: { request }
    });
    await templates.refresh();
    model.set({ template: key });
    Notification.success(trans.__('Template %1 saved', name), {
      autoClose: 4000
    });
  }
}

function confirmReplacing({ trans }: IUi, name: string): Promise<boolean> {
  return confirm(
    trans.__('Replace the template %1?', name),
    [],
    trans.__('Replace'),
    trans
  );
}
