import { TranslationBundle } from '@jupyterlab/translation';
import { FieldProblem, Project, ProjectRequest } from '../../api/models';
import { canonicalNumber, canonicalSpan, typedNumber } from '../numbers';
import { Draft } from './settingmodel';
import { namesOf, spanOf } from './formvalues';

/** What the form of a new project begins with; its names are in the order of the form. */
export const NEW_PROJECT = {
  name: '',
  quota: '',
  weight: '',
  limit: '',
  priority: '100',
  members: '',
  leads: '',
  viewers: '',
  interactiveOn: '',
  trainOn: '',
  duration: '',
  minimum: ''
};

export type ProjectField = keyof typeof NEW_PROJECT;

export const PROJECT_FIELDS = Object.keys(NEW_PROJECT) as ProjectField[];

/** Write a project as an admin would type it. */
export function toProjectDraft(project: Project): Draft<ProjectField> {
  const { node_affinity: on, weight, limit } = project;
  return {
    name: project.name,
    quota: typedNumber(project.quota / 1000),
    weight: weight === null ? '' : typedNumber(weight / 1000),
    limit: limit === null ? '' : typedNumber(limit / 1000),
    priority: String(project.priority),
    members: project.members.join(', '),
    leads: project.leads.join(', '),
    viewers: project.viewers.join(', '),
    interactiveOn: on.interactive.join(', '),
    trainOn: on.train.join(', '),
    duration: spanOf(project.interactive_duration),
    minimum: spanOf(project.min_runtime)
  };
}

/**
 * Read a draft that was made from a project at a revision, empty for a new one.
 *
 * `problems` are those of what cannot even be sent.
 */
export function toProjectRequest(
  draft: Draft<ProjectField>,
  revision: string,
  trans: TranslationBundle
): { request: ProjectRequest; problems: FieldProblem[] } {
  const priority = draft.priority.trim();
  const isNumber = /^-?\d{1,9}$/.test(priority);
  const request: ProjectRequest = {
    name: draft.name.trim(),
    quota: canonicalNumber(draft.quota),
    weight: amountOf(draft.weight, 'quota'),
    limit: amountOf(draft.limit, 'none'),
    priority: isNumber ? Number(priority) : Number(NEW_PROJECT.priority),
    members: namesOf(draft.members),
    leads: namesOf(draft.leads),
    viewers: namesOf(draft.viewers),
    node_affinity: {
      interactive: namesOf(draft.interactiveOn),
      train: namesOf(draft.trainOn)
    },
    interactive_duration: canonicalSpan(draft.duration) || 0,
    min_runtime: canonicalSpan(draft.minimum) || 0,
    revision
  };
  const message = trans.__('Enter a number from 0 to 1000.');
  return {
    request,
    problems: isNumber ? [] : [{ field: 'priority', message, hint: '' }]
  };
}

/** Read an amount: nothing typed is none, and so is the word that the shell has for it. */
function amountOf(text: string, none: string): string | null {
  const typed = text.trim();
  return typed && typed.toLowerCase() !== none ? canonicalNumber(typed) : null;
}

/** Return the control of the form that a field of the wire belongs to. */
export function projectFieldOf(field: string): ProjectField | undefined {
  const path = field.replace(/^put\[\d+\]\./, '').replace(/\[\d+\]$/, '');
  const renamed: Record<string, ProjectField> = {
    'node_affinity.interactive': 'interactiveOn',
    'node_affinity.train': 'trainOn',
    interactive_duration: 'duration',
    min_runtime: 'minimum'
  };
  return renamed[path] ?? PROJECT_FIELDS.find(name => name === path);
}
