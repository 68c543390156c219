import { Project } from '../../api/models';
import { IAdministration } from '../../tokens';
import {
  NEW_PROJECT,
  PROJECT_FIELDS,
  ProjectField,
  projectFieldOf,
  toProjectDraft,
  toProjectRequest
} from './projectdraft';
import { latest } from '../resource';
import { ISubject } from './settingmodel';

/**
 * Projects; the base is the project that is changed, null for a new one.
 *
 * People of an engine's projects are set on the cluster.
 */
export function projectSubject(
  administration: IAdministration,
  isOfEngine = false
): ISubject<ProjectField, Project | null> {
  return {
    fields: PROJECT_FIELDS.filter(name => !isOfEngine || name !== 'members'),
    isThere: project => !!project,
    draftOf: project => (project ? toProjectDraft(project) : NEW_PROJECT),
    read: (draft, project) => ({ project: toProjectRequest(draft, project) }),
    fieldOf: projectFieldOf,
    find: async draft => {
      const name = draft.name.trim();
      const { items } = await latest(administration.projects);
      return items.find(item => item.name === name) ?? null;
    },
    preview: ({ project }) => administration.preview(project!),
    put: async ({ project: request }, project) => {
      if (!project) {
        // An invalid name must be reported as such: as a path it would lead elsewhere.
        await administration.preview(request!);
      }
      return administration.put(request!.name ?? '', request!);
    }
  };
}
