import React, { useCallback, useRef, useState } from 'react';
import { ApiError, asApiError } from '../api/errors';
import { Project, ProjectAnswer, Projects } from '../api/models';
import { ProjectModel } from '../state/projectmodel';
import { AuditTable } from './audit';
import { ErrorNotice, Notice, Simulated } from './common';
import { Loaded } from './loaded';
import { Warnings } from './projecteffect';
import { ProjectForm } from './projectform';
import { mayLeave, removeProject } from './projectdialogs';
import { ProjectTable } from './projecttable';
import { useUi } from './ui';

/** Show admins the projects as they are set, and have them changed. */
export function ProjectsView(): JSX.Element {
  const { quota, trans } = useUi();
  const { projects, audit } = quota.administration;
  return (
    <div className="jp-GpuQuota-dashboard jp-GpuQuota-administration">
      <Loaded resource={quota.quota}>
        {({ admin, simulated }) =>
          admin ? (
            <>
              <h2>
                {trans.__('Projects')}{' '}
                {simulated ? <Simulated trans={trans} /> : null}
              </h2>
              <Loaded resource={projects}>
                {value => <Board projects={value} />}
              </Loaded>
              <Loaded resource={audit}>
                {page => <AuditTable page={page} />}
              </Loaded>
            </>
          ) : (
            <p>{trans.__('Only admins may change projects.')}</p>
          )
        }
      </Loaded>
    </div>
  );
}

function Board({ projects }: { projects: Projects }): JSX.Element {
  const { trans } = useUi();
  const editor = useEditor();
  const { model, said, failure } = editor;
  const isFile = projects.source === 'file';
  return (
    <>
      {isFile ? (
        <Notice>
          {trans.__(
            'Projects are set in the file %1: they are changed there and nowhere else.',
            projects.file
          )}
        </Notice>
      ) : null}
      <Warnings warnings={projects.warnings} />
      <ProjectTable
        projects={projects.items}
        onEdit={isFile ? undefined : editor.open}
      />
      {failure ? <ErrorNotice trans={trans} error={failure} /> : null}
      <p role="status">{said}</p>
      {isFile ? null : (
        <div className="jp-GpuQuota-buttons">
          <button
            ref={editor.button}
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => void editor.open(null)}
          >
            {trans.__('New project')}
          </button>
        </div>
      )}
      {model && !isFile ? (
        <ProjectForm
          key={editor.count}
          model={model}
          onSaved={editor.saved}
          onDelete={() => void editor.remove()}
          onClose={editor.close}
        />
      ) : null}
    </>
  );
}

interface IEditor {
  readonly model: ProjectModel | null;
  /** How many forms there were: each is a new one. */
  readonly count: number;
  readonly said: string;
  readonly failure: ApiError | undefined;
  /** What has the focus once the form is gone. */
  readonly button: React.RefObject<HTMLButtonElement>;
  open(project: Project | null): Promise<void>;
  close(): void;
  saved(answer: ProjectAnswer): void;
  remove(): Promise<void>;
}

/** Hold the one form that may be open, and what became of the last one. */
function useEditor(): IEditor {
  const { quota, trans } = useUi();
  const { administration } = quota;
  const [model, setModel] = useState<ProjectModel | null>(null);
  const [count, setCount] = useState(0);
  const [said, say] = useState('');
  const [failure, fail] = useState<ApiError>();
  const button = useRef<HTMLButtonElement>(null);
  const open = useCallback(
    async (project: Project | null) => {
      if (model?.isDirty && !(await mayLeave(trans))) {
        return;
      }
      setModel(new ProjectModel(administration, trans, project));
      setCount(before => before + 1);
      say('');
      fail(undefined);
    },
    [administration, model, trans]
  );
  const leave = (text: string) => {
    setModel(null);
    say(text);
    fail(undefined);
    button.current?.focus();
  };
  const remove = async () => {
    const project = model?.base;
    if (!project) {
      return;
    }
    try {
      const answer = await removeProject(administration, project, trans);
      if (answer) {
        leave(
          answer.project
            ? trans.__('%1 drains.', project.name)
            : trans.__('%1 was deleted.', project.name)
        );
      }
    } catch (thrown) {
      fail(asApiError(thrown));
    }
  };
  return {
    model,
    count,
    said,
    failure,
    button,
    open,
    remove,
    close: () => leave(''),
    saved: ({ project }) => leave(trans.__('%1 was saved.', project?.name))
  };
}
