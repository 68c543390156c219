import { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo } from 'react';
import { Project, Projects } from '../api/models';
import { ProjectField } from '../state/projectdraft';
import { projectSubject } from '../state/projectsubject';
import { choicesText } from './choices';
import { ProjectTable } from './projecttable';
import { removeProject } from './removing';
import { Editor, useEditor } from './settingeditor';
import { IFormTexts } from './settingform';
import { useResult, useUi } from './ui';

/** Show the projects as they are set, and have them changed unless a file sets them. */
export function ProjectSection(props: {
  projects: Projects;
  isFixed: boolean;
}): JSX.Element {
  const { projects, isFixed } = props;
  const { quota, trans } = useUi();
  const { administration } = quota;
  const subject = useMemo(
    () => projectSubject(administration, trans),
    [administration, trans]
  );
  const groups = useGroupNames();
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
      {isFixed ? null : (
        <Editor
          editor={editor}
          label={trans.__('New project')}
          base={null}
          textsOf={project => textsOf(project, groups, trans)}
        />
      )}
    </>
  );
}

function useGroupNames(): readonly string[] {
  const groups = useResult(useUi().quota.administration.groups);
  return groups.status === 'ready'
    ? groups.value.items.map(({ name }) => name)
    : [];
}

function textsOf(
  project: Project | null,
  groups: readonly string[],
  trans: TranslationBundle
): IFormTexts<ProjectField> {
  const withGroups = (text: string) =>
    [text, choicesText(groups, trans)].filter(Boolean).join(' ');
  return {
    title: project
      ? trans.__('Change %1', project.name)
      : trans.__('New project'),
    notice: project?.draining
      ? trans.__('It drains. Applying this form ends the draining.')
      : undefined,
    fields: {
      name: { label: trans.__('Name'), isFixed: true },
      quota: {
        label: trans.__('Quota'),
        help: trans.__('GPUs that it has by right: 4 or 2.5.')
      },
      weight: {
        label: trans.__('Weight'),
        help: trans.__(
          'Its part of what others leave. Empty: as its quota; 0: it never borrows.'
        )
      },
      limit: {
        label: trans.__('Limit'),
        help: trans.__('The most GPUs that it may hold. Empty: no limit.')
      },
      priority: {
        label: trans.__('Priority'),
        help: trans.__('0 to 1000: the higher borrow first.')
      },
      members: {
        label: trans.__('Members'),
        help: trans.__(
          'Accounts and groups (group:NAME) that may launch in it, with commas. Empty: everyone.'
        )
      },
      leads: {
        label: trans.__('Leads'),
        help: trans.__(
          'Who may stop, suspend and keep alive all of its sessions: ana, group:NAME. Empty: admins only.'
        )
      },
      viewers: {
        label: trans.__('Viewers'),
        help: trans.__(
          'Who sees its sessions, but does not launch: ana, group:NAME. Empty: nobody besides members and leads.'
        )
      },
      interactiveOn: {
        label: trans.__('Interactive on'),
        help: withGroups(
          trans.__(
            'Node groups for its interactive sessions, with commas. Empty: any.'
          )
        )
      },
      trainOn: {
        label: trans.__('Train on'),
        help: withGroups(
          trans.__(
            'Node groups for its training sessions, with commas. Empty: any.'
          )
        )
      },
      duration: {
        label: trans.__('Interactive for'),
        help: trans.__(
          'How long an interactive session may run: 8h, 90m. Empty: no end.'
        )
      },
      minimum: {
        label: trans.__('Runs at least'),
        help: trans.__(
          'How long its sessions run before they may be reclaimed: 10m. Empty: no such time.'
        )
      }
    }
  };
}
