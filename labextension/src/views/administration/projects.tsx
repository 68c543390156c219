import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Project, Projects } from '../../api/models';
import { ProjectField } from '../../state/settings/projectdraft';
import { projectSubject } from '../../state/settings/projectsubject';
import { clusterOf } from '../../state/quota';
import { choicesText } from './choices';
import { usePeople } from './people';
import { ProjectTable } from './projecttable';
import { removeProject } from './removing';
import { Editor, useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { gpus } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** Show the projects as they are set, and have them changed unless a file sets them. */
export function ProjectSection(props: {
  projects: Projects;
  isFixed: boolean;
}): JSX.Element {
  const { projects, isFixed } = props;
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const subject = useMemo(
    () => projectSubject(administration, trans),
    [administration, trans]
  );
  const names = useNames();
  const isElsewhere = projects.items.some(({ name }) => clusterOf(name));
  const editor = useEditor({
    subject,
    saved: ({ name }) => trans.__('%1 was saved.', name.trim()),
    remove: async project =>
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
      {isFixed ? null : (
        <Editor
          editor={editor}
          label={trans.__('New project')}
          base={null}
          textsOf={project => textsOf(project, names, trans)}
        />
      )}
    </>
  );
}

/** The names that the form proposes. */
interface INames {
  readonly accounts: readonly string[];
  readonly nodes: readonly string[];
}

function useNames(): INames {
  const { groups, people } = usePeople();
  const set = useResult(useUi().workspace.administration.groups);
  const nodes = set.status === 'ready' ? set.value.items : [];
  return {
    accounts: [...people, ...groups],
    nodes: nodes.map(({ name }) => name)
  };
}

function textsOf(
  project: Project | null,
  { accounts, nodes }: INames,
  trans: TranslationBundle
): IFormTexts<ProjectField> {
  const withGroups = (text: string) =>
    [text, choicesText(nodes, trans)].filter(Boolean).join(' ');
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
      weight: {
        label: trans.__('Weight'),
        help: trans.__(
          'Share of spare GPUs. Empty = same as quota; 0 = never borrows.'
        ),
        placeholder: trans.__('same as quota')
      },
      limit: {
        label: trans.__('Limit'),
        help: trans.__(
          'Maximum number of GPUs, borrowed ones included. Empty = no limit.'
        ),
        placeholder: trans.__('no limit')
      },
      priority: {
        label: trans.__('Priority'),
        help: trans.__('0–1000. Higher borrows first.')
      },
      members: {
        label: trans.__('Members'),
        help: trans.__(
          'Comma-separated accounts and groups (group:NAME) that can launch sessions. Empty = everyone.'
        ),
        names: accounts,
        isList: true
      },
      leads: {
        label: trans.__('Leads'),
        help: trans.__(
          'Can stop, suspend and keep alive all sessions: ana, group:NAME. Empty = admins only.'
        ),
        names: accounts,
        isList: true
      },
      viewers: {
        label: trans.__('Viewers'),
        help: trans.__(
          'Can see sessions, but not launch any: ana, group:NAME. Empty = only members and leads see them.'
        ),
        names: accounts,
        isList: true
      },
      interactiveOn: {
        label: trans.__('Interactive nodes'),
        help: withGroups(
          trans.__(
            'Comma-separated node groups for interactive sessions. Empty = any.'
          )
        ),
        names: nodes,
        isList: true
      },
      trainOn: {
        label: trans.__('Training nodes'),
        help: withGroups(
          trans.__(
            'Comma-separated node groups for training sessions. Empty = any.'
          )
        ),
        names: nodes,
        isList: true
      },
      duration: {
        label: trans.__('Max. interactive time'),
        help: trans.__(
          'Maximum run time of an interactive session, e.g. 8 hours, 90 min. Empty = unlimited.'
        )
      },
      minimum: {
        label: trans.__('Protected for'),
        help: trans.__(
          'How long sessions run before they can be reclaimed, e.g. 10 min. Empty = none.'
        )
      }
    }
  };
}
