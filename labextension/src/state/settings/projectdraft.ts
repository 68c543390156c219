import { Project, ProjectRequest } from '../../api/models';
import { canonicalNumber, typedNumber } from '../numbers';
import { namesOf } from './formvalues';

/** What the form of a new project begins with. */
export const NEW_PROJECT = { name: '', quota: '', limit: '', members: '' };

export type ProjectField = keyof typeof NEW_PROJECT;

/** Write a project as an admin would type it. */
export function toProjectDraft(project: Project): Record<ProjectField, string> {
  const { limit } = project;
  return {
    name: project.name,
    quota: typedNumber(project.quota / 1000),
    limit: limit === null ? '' : typedNumber(limit / 1000),
    members: project.members.join(', ')
  };
}

/** Read a draft that was made from a project, if it is no new one; what the form lacks stays. */
export function toProjectRequest(
  draft: Readonly<Record<ProjectField, string>>,
  project?: Project
): ProjectRequest {
  const limit = draft.limit.trim();
  return {
    ...(project ? keptOf(project) : {}),
    name: draft.name.trim(),
    quota: canonicalNumber(draft.quota),
    limit:
      limit && limit.toLowerCase() !== 'none' ? canonicalNumber(limit) : null,
    members: namesOf(draft.members),
    revision: project?.revision ?? ''
  };
}

/** Return what a project has that the form does not show. */
function keptOf(project: Project): Partial<ProjectRequest> {
  const { weight } = project;
  return {
    weight: weight === null ? null : String(weight / 1000),
    priority: project.priority,
    leads: project.leads,
    viewers: project.viewers,
    node_affinity: project.node_affinity,
    interactive_duration: project.interactive_duration,
    min_runtime: project.min_runtime
  };
}
