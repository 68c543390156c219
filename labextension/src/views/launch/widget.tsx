import { MainAreaWidget } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import React from 'react';
import { Session } from '../../api/models';
import { CommandIDs } from '../../commands';
import { IDraft, recall, REMEMBERED } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { suggestName } from '../../state/sessions';
import { LaunchForm } from './launch';
import { IUi, LiveWidget } from '../parts/ui';

const LAST = 'jupyter-gpuquota:last-launch';

/** The form, and how a version of a dataset gets into it later. */
interface ILaunch {
  readonly widget: MainAreaWidget;
  readonly mount: (reference: string) => void;
}

/** Make the form, filled in with what was chosen last. */
export async function makeLaunchWidget(options: {
  ui: IUi;
  state: IStateDB | null;
  folder: string;
  /** A version of a dataset that the session is to use. */
  data: string;
}): Promise<ILaunch> {
  const { ui, state, folder, data } = options;
  const { workspace, commands, trans } = ui;
  const last = Object(await state?.fetch(LAST)) as { name?: unknown };
  const model = new LaunchModel(workspace.actions, trans, {
    ...recall(last),
    name: await proposeName(ui, last.name),
    folder,
    data
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
    />,
    [workspace.about, workspace.quota, workspace.nodes, workspace.environments]
  );
  content.addClass('jp-GpuQuota-launch');
  content.disposed.connect(() => model.dispose());
  const widget = new MainAreaWidget({ content });
  widget.toolbar.hide(); // it would be empty
  const mount = (reference: string) => {
    const lines = model.draft.data.split('\n').filter(Boolean);
    if (!lines.includes(reference)) {
      model.set({ data: [...lines, reference].join('\n') });
    }
  };
  return { widget, mount };
}

async function proposeName({ workspace }: IUi, last: unknown): Promise<string> {
  if (workspace.sessions.result.status !== 'ready') {
    await workspace.sessions.refresh();
  }
  const { result } = workspace.sessions;
  return suggestName(
    result.status === 'ready' ? result.value.items : [],
    typeof last === 'string' ? last : undefined
  );
}

function toRemember(draft: Readonly<IDraft>): Record<string, string> {
  const entries = [...REMEMBERED, 'name' as const].map(name => [
    name,
    draft[name]
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
