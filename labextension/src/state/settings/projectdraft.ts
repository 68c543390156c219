import { Project, ProjectRequest } from '../../api/models';
import { canonicalNumber, typedNumber } from '../numbers';
import { Draft } from './settingmodel';
import { namesOf } from './formvalues';

/** What the form of a new project begins with; its names are in the order of the form. */
export const NEW_PROJECT = { name: '', quota: '', limit: '', members: '' };

export type ProjectField = keyof typeof NEW_PROJECT;

export const PROJECT_FIELDS = Object.keys(NEW_PROJECT) as ProjectField[];

/** Write a project as an admin would type it. */
export function toProjectDraft(project: Project): Draft<ProjectField> {
  const { limit } = project;
  return {
    name: project.name,
    quota: typedNumber(project.quota / 1000),
    limit: limit === null ? '' : typedNumber(limit / 1000),
    members: project.members.join(', ')
  };
}

/** Read a draft that was made from a project, null for a new one; what the form lacks stays. */
export function toProjectRequest(
  draft: Draft<ProjectField>,
  project: Project | null
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

/** Return the control of the form that a field of the wire belongs to. */
export function projectFieldOf(field: string): ProjectField | undefined {
  const path = field.replace(/\[\d+\]$/, '');
  return PROJECT_FIELDS.find(name => name === path);
}
