import React, { useId, useState } from 'react';
import { ChangePreview, Project, Projects } from '../../api/models';
import { FormModel } from '../../state/formmodel';
import { clusterOf } from '../../state/quota';
import { latest } from '../../state/resource';
import {
  NEW_PROJECT,
  ProjectField,
  toProjectDraft,
  toProjectRequest
} from '../../state/settings/projectdraft';
import { TextField } from '../launch/fields';
import { Notice } from '../parts/controls';
import { gpus } from '../parts/texts';
import { useSignal, useUi } from '../parts/ui';
import { IEditor, IOpened, NewButton, SettingForm, useEditor } from './editor';
import { usePeople } from './people';
import { EffectOf } from './projecteffect';
import { ProjectTable } from './projecttable';
import { removeProject } from './removing';

/** A project; without one, a new one. */
interface IProjectBase {
  readonly project?: Project;
}

/** Show the projects as they are set, and have them changed unless a file sets them. */
export function ProjectSection(props: {
  projects: Projects;
  isFixed: boolean;
}): JSX.Element {
  const { projects, isFixed } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const isOfEngine = projects.source === 'engine';
  const isElsewhere = projects.items.some(({ name }) => clusterOf(name));
  const editor = useEditor(
    ({ project }: IProjectBase) =>
      new FormModel<ProjectField, string>(
        project ? toProjectDraft(project) : NEW_PROJECT,
        async draft => {
          const request = toProjectRequest(draft, project);
          const name = draft.name.trim();
          if (!project) {
            // An invalid name must be reported as such: as a path it would lead elsewhere.
            await administration.preview(request);
          }
          await administration.put(name, request);
          return trans.__('%1 was saved.', name);
        }
      )
  );
  const { opened } = editor;
  return (
    <>
      <ProjectTable
        projects={projects.items}
        onEdit={isFixed ? undefined : project => void editor.open({ project })}
        actions={
          isFixed ? null : (
            <NewButton
              editor={editor}
              label={isOfEngine ? undefined : trans.__('New project')}
              base={{}}
            />
          )
        }
      />
      {opened ? (
        <ProjectForm
          key={opened.count}
          editor={editor}
          opened={opened}
          isOfEngine={isOfEngine}
        />
      ) : null}
      {isElsewhere ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__('Projects of other clusters are managed there.')}
        </p>
      ) : null}
      {isOfEngine ? (
        <p className="jp-GpuQuota-quiet">
          {trans.__(
            'Projects of this cluster are created and deleted with kubectl; “%1” prints the command.',
            'jupyter gpu project set NAME --quota 4'
          )}
        </p>
      ) : null}
    </>
  );
}

function ProjectForm(props: {
  editor: IEditor<ProjectField, IProjectBase>;
  opened: IOpened<ProjectField, IProjectBase>;
  isOfEngine: boolean;
}): JSX.Element {
  const { editor, isOfEngine } = props;
  const { base, model } = props.opened;
  const { project } = base;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const [tried, setTried] = useState<{
    draft: object;
    effect: ChangePreview;
  }>();
  useSignal(model.changed);
  const preview = async () => {
    const { draft } = model;
    const request = toProjectRequest(draft, project);
    const effect = await model.attempt(() => administration.preview(request));
    setTried(effect && { draft, effect });
  };
  const isCurrent = tried?.draft === model.draft && !model.isSending;
  return (
    <SettingForm
      editor={editor}
      model={model}
      title={
        project ? trans.__('Change %1', project.name) : trans.__('New project')
      }
      find={async () => {
        const name = model.draft.name.trim();
        const { items } = await latest(administration.projects);
        const found = items.find(item => item.name === name);
        return project && !found ? null : { project: found };
      }}
      remove={
        project && !isOfEngine
          ? () => removeProject(administration, project, trans)
          : undefined
      }
      onPreview={isOfEngine ? undefined : () => void preview()}
      effect={tried && isCurrent ? <EffectOf effect={tried.effect} /> : null}
      notice={
        <>
          {isOfEngine ? (
            <p className="jp-GpuQuota-quiet">
              {trans.__('What this does to sessions, the engine decides.')}
            </p>
          ) : null}
          {project?.draining ? (
            <Notice>
              {trans.__('This project is draining. Applying cancels that.')}
            </Notice>
          ) : null}
        </>
      }
    >
      <TextField
        model={model}
        name="name"
        label={trans.__('Name')}
        readOnly={!!project}
        autoComplete="off"
        spellCheck={false}
      />
      <TextField
        model={model}
        name="quota"
        label={trans.__('Quota')}
        help={trans.__(
          'Guaranteed GPUs, e.g. %1 or %2',
          gpus(4000),
          gpus(2500)
        )}
        autoComplete="off"
      />
      <TextField
        model={model}
        name="limit"
        label={trans.__('Limit')}
        help={trans.__(
          'Maximum number of GPUs, borrowed ones included. Empty = no limit.'
        )}
        placeholder={trans.__('no limit')}
        autoComplete="off"
      />
      {/* People of an engine's projects are set on the cluster. */}
      {isOfEngine ? null : <MembersField model={model} />}
    </SettingForm>
  );
}

/** Accounts and groups, which are proposed for what is typed last. */
function MembersField(props: {
  model: FormModel<ProjectField, string>;
}): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const { groups, people } = usePeople();
  const list = useId();
  return (
    <>
      <TextField
        model={model}
        name="members"
        label={trans.__('Members')}
        help={trans.__(
          'Comma-separated accounts and groups (group:NAME) that can launch sessions. Empty = everyone.'
        )}
        list={list}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {continued(model.draft.members, [...people, ...groups]).map(text => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}

/** Return a list of names as it would be with one more of those that it lacks. */
function continued(text: string, names: readonly string[]): string[] {
  const [, before = ''] = /^(.*[,\s])?[^,\s]*$/s.exec(text) ?? [];
  const there = new Set(text.split(/[\s,]+/));
  return names.filter(name => !there.has(name)).map(name => before + name);
}
