import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Project, Projects } from '../../api/models';
import { ProjectField } from '../../state/settings/projectdraft';
import { projectSubject } from '../../state/settings/projectsubject';
import { clusterOf } from '../../state/quota';
import { usePeople } from './people';
import { ProjectTable } from './projecttable';
import { removeProject } from './removing';
import { Editor, useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { gpus } from '../parts/texts';
import { useUi } from '../parts/ui';

/** Show the projects as they are set, and have them changed unless a file sets them. */
export function ProjectSection(props: {
  projects: Projects;
  isFixed: boolean;
}): JSX.Element {
  const { projects, isFixed } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const isOfEngine = projects.source === 'engine';
  const subject = useMemo(
    () => projectSubject(administration, isOfEngine),
    [administration, isOfEngine]
  );
  const { groups, people } = usePeople();
  const isElsewhere = projects.items.some(({ name }) => clusterOf(name));
  const editor = useEditor({
    subject,
    saved: ({ name }) => trans.__('%1 was saved.', name.trim()),
    remove: isOfEngine
      ? undefined
      : async project =>
          project ? removeProject(administration, project, trans) : undefined
  });
  return (
    <>
      <ProjectTable
        projects={projects.items}
        onEdit={isFixed ? undefined : editor.open}
      />
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
      {isFixed ? null : (
        <Editor
          editor={editor}
          label={isOfEngine ? undefined : trans.__('New project')}
          base={null}
          textsOf={project => ({
            ...textsOf(project, [...people, ...groups], trans),
            live: isOfEngine ? (
              <p className="jp-GpuQuota-quiet">
                {trans.__('What this does to sessions, the engine decides.')}
              </p>
            ) : undefined
          })}
        />
      )}
    </>
  );
}

function textsOf(
  project: Project | null,
  accounts: readonly string[],
  trans: TranslationBundle
): IFormTexts<ProjectField> {
  return {
    title: project
      ? trans.__('Change %1', project.name)
      : trans.__('New project'),
    notice: project?.draining
      ? trans.__('This project is draining. Applying cancels that.')
      : undefined,
    fields: {
      name: { label: trans.__('Name'), isFixed: true },
      quota: {
        label: trans.__('Quota'),
        help: trans.__('Guaranteed GPUs, e.g. %1 or %2', gpus(4000), gpus(2500))
      },
      limit: {
        label: trans.__('Limit'),
        help: trans.__(
          'Maximum number of GPUs, borrowed ones included. Empty = no limit.'
        ),
        placeholder: trans.__('no limit')
      },
      members: {
        label: trans.__('Members'),
        help: trans.__(
          'Comma-separated accounts and groups (group:NAME) that can launch sessions. Empty = everyone.'
        ),
        names: accounts,
        isList: true
      }
    }
  };
}
