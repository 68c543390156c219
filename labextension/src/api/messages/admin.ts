// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const admin: Texts = {
  'cache.high_water': (trans) => [
    trans.__('Must be a share of the capacity, from 0.1 to 1.'),
    trans.__('Usual is 0.9.')
  ],
  'exemption.over': (trans) => [
    trans.__('This time has passed.'),
    trans.__('Choose a later one.')
  ],
  'exemption.reason': (trans) => [
    trans.__('Enter a reason.'),
    trans.__('It is shown to users and administrators.')
  ],
  'exemption.who': (trans, _f, a) => [
    trans.__('%1 is not a session, user or project.', a.who),
    trans.__('Enter session:NAME, user:NAME or project:NAME.')
  ],
  'group.unknown': (trans, f, a) => [
    trans.__('Unknown node group: %1.', a.name),
    trans.__('Node groups: %1.', f.and(a.known))
  ],
  'group.unknown.none': (trans, _f, a) => [
    trans.__('Unknown node group: %1.', a.name),
    trans.__('No node groups exist.')
  ],
  'group.used': (trans, _f, a) => [
    trans.__('%1 may run on the group %2 only.', a.project, a.group),
    trans.__('Change the project first.')
  ],
  'kind.unknown': (trans, f, a) => [
    trans.__('Unknown kind: %1.', a.name),
    trans.__('Kinds: %1.', f.and(a.known))
  ],
  'lake.credentials': (trans) => [
    trans.__('Not the path of a file or the name of a Secret.'),
    trans.__('Put no credentials themselves here.')
  ],
  'lake.default': (trans, _f, a) => [
    trans.__('%1 is the default already.', a.name),
    trans.__('Keep one of them.')
  ],
  'lake.url': (trans, _f, a) => [
    trans.__('%1 is not the URL of a lake.', a.url),
    trans.__('Use s3://, gs:// or az://BUCKET/PATH, or file:///PATH.')
  ],
  'lake.url_secret': (trans) => [
    trans.__('The URL must contain no credentials or other parameters.'),
    trans.__('Put them into a file or a Secret, and name that in credentials.')
  ],
  'node.unknown': (trans, f, a) => [
    trans.__('Unknown node: %1.', a.name),
    trans.__('Nodes: %1.', f.and(a.known))
  ],
  'node.unknown.none': (trans, _f, a) => [
    trans.__('Unknown node: %1.', a.name),
    trans.__('No nodes exist.')
  ],
  'people.group': (trans) => [
    trans.__('Enter the name of the group.'),
    trans.__('For example group:ml.')
  ],
  'policy.bounds': (trans, f, a) => [
    trans.__('The minimum, %1, is above the maximum, %2.', f.duration(a.least), f.duration(a.most)),
    trans.__('Raise the maximum, or lower the minimum.')
  ],
  'policy.count': (trans, f, a) => [
    trans.__('%1 is not a whole number from 0 to %2.', a.value, f.count(a.most))
  ],
  'policy.keep_alive': (trans, f, a) => [
    trans.__('After an extension of %1, the next warning would come at once.', f.duration(a.keep)),
    trans.__('Use at least %1, or 0 for no extensions.', f.duration(a.warn))
  ],
  'policy.level': (trans, _f, a) => [
    trans.__('%1 is not a level.', a.level),
    trans.__('Choose everyone, project:NAME or kind:KIND.')
  ],
  'policy.level.missing': (trans) => [
    trans.__('Choose everyone, a project or a kind.')
  ],
  'policy.short': (trans, f, a) => [
    trans.__('%1 is shorter than two activity checks.', f.duration(a.value)),
    trans.__('Use at least %1.', f.duration(a.least))
  ],
  'policy.warning': (trans, f, a) => [
    trans.__('The warning comes %1 before, but the timeout is %2.', f.duration(a.warn), f.duration(a.timeout)),
    trans.__('Use a longer timeout, or a shorter warn_before.')
  ],
  'project.elsewhere': (trans, _f, a) => [
    trans.__('%1 has no such setting.', a.engine),
    trans.__("Leave it at its default; set people's rights by RBAC.")
  ],
  'project.limit_below': (trans, f, a) => [
    trans.__('Below the quota.'),
    trans.__('Use at least %1, or no limit.', f.gpus(a.quota))
  ],
  'project.no_borrowing': (trans) => [
    trans.__('Namespaces cannot borrow here.'),
    trans.__('Leave it empty.')
  ],
  'project.renamed': (trans, _f, a) => [
    trans.__('The path names %1, the body %2.', a.path, a.body),
    trans.__('A project keeps its name: create another one and delete this one.')
  ],
  'project.unknown': (trans, f, a) => [
    trans.__('Unknown project: %1.', a.name),
    trans.__('Projects: %1.', f.and(a.known))
  ],
  'project.unknown.none': (trans, _f, a) => [
    trans.__('Unknown project: %1.', a.name),
    trans.__('No projects exist.')
  ],
  'project.whole': (trans) => [
    trans.__('The cluster counts whole GPUs only.'),
    trans.__('Use a whole number.')
  ]
};
