import { MainAreaWidget } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import React from 'react';
import { Session } from '../../api/models';
import { routes } from '../../api/routes';
import { CommandIDs } from '../../commands';
import { IDraft, recall, REMEMBERED } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { suggestName } from '../../state/sessions';
import { fromRequest, fromTemplate } from '../../state/templates/draft';
import { keyOf } from '../../state/templates/key';
import type { ChooseFolder } from './environment';
import { LaunchForm } from './launch';
import { report } from '../parts/report';
import { IUi, LiveWidget, inMain } from '../parts/ui';

const LAST = 'jupyter-gpuquota:last-launch';

/**
 * What the session is to use: a number of GPUs, a version of a dataset, a project and a volume of
 * it, a template, and the session that it is to be like; each may be empty.
 */
export interface IWanted {
  readonly gpu: string;
  readonly session: string;
  readonly data: string;
  readonly project: string;
  readonly volume: string;
  readonly template: string;
}

/** The form, and how data gets into it. */
interface ILaunch {
  readonly widget: MainAreaWidget;
  readonly add: (wanted: IWanted) => void;
}

/** Make the form, filled in with what was chosen last. */
export async function makeLaunchWidget(options: {
  ui: IUi;
  state: IStateDB | null;
  folder: string;
  chooseFolder?: ChooseFolder;
}): Promise<ILaunch> {
  const { ui, state, folder, chooseFolder } = options;
  const { workspace, commands, trans } = ui;
  const last = Object(await state?.fetch(LAST)) as { name?: unknown };
  const model = new LaunchModel(workspace.actions, trans, {
    ...recall(last),
    name: await freeName(
      workspace,
      typeof last.name === 'string' ? last.name : undefined
    ),
    folder
  });
  const close = () => widget.dispose();
  const onLaunched = async (session: Session) => {
    await state?.save(LAST, toRemember(model.draft));
    close();
    await commands.execute(CommandIDs.showPanel);
    workspace.reveal(session.id);
  };
  const content = new LiveWidget(
    ui,
    <LaunchForm
      model={model}
      onLaunched={session => void onLaunched(session)}
      onCancel={close}
      chooseFolder={chooseFolder}
    />,
    [
      workspace.about,
      workspace.sessions,
      workspace.quota,
      workspace.nodes,
      workspace.environments,
      ...(knowsTemplates(workspace) ? [workspace.resource('templates')] : [])
    ]
  );
  content.addClass('jp-GpuQuota-launch');
  content.disposed.connect(() => model.dispose());
  const widget = inMain(content);
  const add = (wanted: IWanted) => {
    const { gpu, data, project, session, volume, template } = wanted;
    if (gpu) {
      model.set({ preset: gpu });
    }
    if (session) {
      void fillAgain(ui, model, session).catch(error =>
        report(ui.trans, error)
      );
    }
    if (template) {
      void fillIn(ui, model, template);
    }
    if (data) {
      model.set({ data: withLine(model.draft.data, data) });
    }
    if (project) {
      model.set({ project });
    }
    if (volume) {
      const line = `${volume}:/${volume}`;
      model.set({ volumes: withLine(model.draft.volumes, line) });
    }
  };
  return { widget, add };
}

/** Fill the form in from a template; one that is gone leaves it as it is. */
async function fillIn(
  { workspace }: IUi,
  model: LaunchModel,
  key: string
): Promise<void> {
  const templates = workspace.resource('templates');
  await templates.refresh();
  const { result } = templates;
  const items = result.status === 'ready' ? result.value.items : [];
  const found = items.find(item => keyOf(item) === key);
  if (found && !model.isDisposed) {
    model.set(fromTemplate(found, model.draft));
  }
}

/** Fill the form in as another session was launched. */
async function fillAgain(
  { workspace }: IUi,
  model: LaunchModel,
  id: string
): Promise<void> {
  const request = await workspace.call(routes.sessionsRequest, {
    args: { id }
  });
  const name = await freeName(workspace, workspace.session(id)?.spec.name);
  if (!model.isDisposed) {
    model.set({ ...fromRequest(request, model.draft), name });
  }
}

/** Return whether the controller keeps templates. */
function knowsTemplates({ about }: IUi['workspace']): boolean {
  const { result } = about;
  return (
    result.status === 'ready' && result.value.capabilities.includes('templates')
  );
}

/** Return lines with one more, unless it is among them. */
function withLine(text: string, line: string): string {
  const lines = text.split('\n').filter(Boolean);
  return lines.includes(line) ? text : [...lines, line].join('\n');
}

/** Return a name like another one that no session has. */
async function freeName(
  workspace: IUi['workspace'],
  last?: string
): Promise<string> {
  if (workspace.sessions.result.status !== 'ready') {
    await workspace.sessions.refresh();
  }
  const { result } = workspace.sessions;
  return suggestName(result.status === 'ready' ? result.value.items : [], last);
}

function toRemember(draft: Readonly<IDraft>): Record<string, string> {
  const entries = [...REMEMBERED, 'name' as const].map(name => [
    name,
    draft[name]
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
