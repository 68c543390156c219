import React from 'react';
import { Template } from '../../api/models';
import { routes } from '../../api/routes';
import { LaunchModel } from '../../state/launch';
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
  const { saveTemplate } = await import(
    /* webpackChunkName: "storage" */ './savetemplate'
  );
  await saveTemplate(ui, model);
}
