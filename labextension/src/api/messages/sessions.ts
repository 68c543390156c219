// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const sessions: Texts = {
  'argument.reserved': (trans, _f, a) => [
    trans.__('%1 is reserved: the session sets it.', a.argument),
    trans.__('Leave it out.')
  ],
  'command.empty': (trans) => [
    trans.__('Must not begin with an empty word.')
  ],
  'command.missing': (trans) => [
    trans.__('A training needs a command.'),
    trans.__('Enter one, e.g. python train.py, or choose Interactive for a Jupyter Server.')
  ],
  'command.operator': (trans, _f, a) => [
    trans.__('No shell runs the command, so %1 would be an argument.', a.operator),
    trans.__('Write %1.', a.shell)
  ],
  'data.nested': (trans, _f, a) => [
    trans.__('%1 and %2 lie inside each other.', a.path, a.other),
    trans.__('Choose another path.')
  ],
  'data.taken': (trans, _f, a) => [
    trans.__('%1 exists already.', a.path),
    trans.__('Choose another path.')
  ],
  'env.name': (trans) => [
    trans.__('Not a valid name of an environment variable.')
  ],
  'env.reserved': (trans, _f, a) => [
    trans.__('%1 is set by the session.', a.name)
  ],
  'environment.problem': (trans, _f, a) => [
    trans.__('%1', a.problem),
    trans.__('Choose one that is listed.')
  ],
  'environment.unknown': (trans, _f, a) => [
    trans.__('Unknown environment: %1.', a.name),
    trans.__('Choose one that is listed.')
  ],
  'environment.unusable': (trans, _f, a) => [
    trans.__('%1', a.problem),
    trans.__('Install jupyter_server there, or choose another environment.')
  ],
  'home.alone': (trans, f, a) => [
    trans.__('Your home folder, %1, can be mounted by one pod at a time (%2); %3 mounts it.', a.volume, a.mode, f.and(a.users)),
    trans.__('Stop that first, or ask an admin for a claim of the mode ReadWriteMany.')
  ],
  'home.elsewhere': (trans, f, a) => [
    trans.__('Your home folder, %1, can be mounted on one node at a time (%2), and is on %3 (%4), where this session cannot run.', a.volume, a.mode, f.and(a.nodes), f.and(a.users)),
    trans.__('Stop that first, or ask an admin for a claim of the mode ReadWriteMany.')
  ],
  'home.nodes': (trans, f, a) => [
    trans.__('Your home folder, %1, can be used on %2 only, where this session may not run.', a.volume, f.and(a.nodes)),
    trans.__('Choose their node group.')
  ],
  'idle_timeout.long': (trans, f, a) => [
    trans.__('Above the maximum set by %1.', f.policy(a.level)),
    trans.__('Use at most %1.', f.duration(a.most))
  ],
  'idle_timeout.short': (trans, f, a) => [
    trans.__('Below the minimum set by %1.', f.policy(a.level)),
    trans.__('Use at least %1.', f.duration(a.least))
  ],
  'idle_timeout.warning': (trans, f, a) => [
    trans.__('Shorter than the warning period set by %1.', f.policy(a.level)),
    trans.__('Use at least %1.', f.duration(a.least))
  ],
  'pod.host_path': (trans, _f, a) => [
    trans.__('%1 of the nodes may not be mounted.', a.path),
    trans.__('Use %1.', a.example)
  ],
  'pod.limit': (trans, _f, a) => [
    trans.__('Below the request.'),
    trans.__('Use at least %1.', a.least)
  ],
  'pod.path': (trans, _f, a) => [
    trans.__('%1 is used by the system or the session.', a.path),
    trans.__('Choose another path.')
  ],
  'pod.process': (trans) => [
    trans.__('Sessions of this backend are processes, not containers.'),
    trans.__('Leave it empty.')
  ],
  'pod.reserved': (trans, _f, a) => [
    trans.__('%1 belongs to a session or a user.', a.name),
    trans.__('Use another one.')
  ],
  'pod.value': (trans, _f, a) => [
    trans.__('%1 is not valid.', a.value),
    trans.__('Use %1.', a.example)
  ],
  'port.exposed': (trans, f, a) => [
    trans.__('Port %1 is already exposed by %2.', a.port, f.sessions(a.sessions)),
    trans.__('Choose another port.')
  ],
  'port.range': (trans, _f, a) => [
    trans.__('%1 is not a port.', a.port),
    trans.__('Choose one from 1024 to 65535.')
  ],
  'port.system': (trans, _f, a) => [
    trans.__('Port %1 is reserved for the system.', a.port),
    trans.__('Choose one from 1024 to 65535.')
  ],
  'port.twice': (trans, _f, a) => [
    trans.__('Port %1 is listed twice.', a.port),
    trans.__('Keep one of them.')
  ],
  'port.used': (trans, _f, a) => [
    trans.__('Port %1 is in use by another program.', a.port),
    trans.__('Choose another port, or end that program.')
  ],
  'processes.none': (trans) => [
    trans.__('Trainings of several processes cannot start together here.'),
    trans.__('They need a Kubernetes cluster with Kueue, KAI Scheduler or a ResourceQuota of GPUs.')
  ],
  'processes.training': (trans) => [
    trans.__('Only a training with a command can have several processes.'),
    trans.__('Leave --interactive out.')
  ],
  'project.closed': (trans, f, a) => [
    trans.__('No access to project %1.', a.project),
    trans.__('Your projects: %1.', f.and(a.projects))
  ],
  'project.closed.none': (trans, _f, a) => [
    trans.__('No access to project %1.', a.project),
    trans.__('Ask an administrator to add you to a project.')
  ],
  'project.none': (trans) => [
    trans.__('You cannot launch in any project.'),
    trans.__('Ask an administrator to add you to a project.')
  ],
  'project.none.right': (trans, _f, a) => [
    trans.__('You cannot launch in any project.'),
    trans.__('It needs the right to %1, in its namespace.', a.right)
  ],
  'project.right': (trans, _f, a) => [
    trans.__('You may not launch in %1.', a.project),
    trans.__('It needs the right to %1.', a.right)
  ],
  'project.viewer': (trans, f, a) => [
    trans.__('You may view %1, but not launch in it.', a.project),
    trans.__('You may launch in: %1.', f.and(a.projects))
  ],
  'project.viewer.none': (trans, _f, a) => [
    trans.__('You may view %1, but not launch in it.', a.project),
    trans.__('Ask an administrator to add you to a project.')
  ],
  'resize.share': (trans) => [
    trans.__('Enter the new share.'),
    trans.__('For example 0.5.')
  ],
  'resize.volume': (trans, _f, a) => [
    trans.__('A resize mounts volumes that exist.'),
    trans.__('Create %1 first, then mount it by its name.', a.volume)
  ],
  'volume.alone': (trans, f, a) => [
    trans.__('%1 can be mounted by one pod at a time (%2); %3 mounts it.', a.volume, a.mode, f.and(a.users)),
    trans.__('Stop that first, or clone it: jupyter gpu volume create NAME --from %1.', a.volume)
  ],
  'volume.both': (trans, _f, a) => [
    trans.__('%1 is mounted both read-only and not.', a.volume),
    trans.__('Choose one for the session.')
  ],
  'volume.elsewhere': (trans, f, a) => [
    trans.__('%1 can be mounted on one node at a time (%2), and is on %3 (%4), where this session cannot run.', a.volume, a.mode, f.and(a.nodes), f.and(a.users)),
    trans.__('Stop that first, or clone it: jupyter gpu volume create NAME --from %1 --mode RWX.', a.volume)
  ],
  'volume.no_folder': (trans) => [
    trans.__('Folders of nodes are no volumes.'),
    trans.__('Leave it out: a claim is made of the storage class.')
  ],
  'volume.nodes': (trans, f, a) => [
    trans.__('%1 can be used on %2 only, where this session may not run.', a.volume, f.and(a.nodes)),
    trans.__('Choose their node group, or leave the volume out.')
  ],
  'volume.only_read': (trans, _f, a) => [
    trans.__('%1 can only be read.', a.volume),
    trans.__('Use %1:ro.', a.volume)
  ],
  'volume.quota': (trans, _f, a) => [
    trans.__('The quota %1 of %2 has %3 left of %4.', a.quota, a.project, a.left, a.resource),
    trans.__('Ask for less, use another class, or delete a volume.')
  ],
  'volume.read_only': (trans, _f, a) => [
    trans.__('%1 is read-only.', a.volume),
    trans.__('Use %1.', a.example)
  ],
  'volume.register': (trans, _f, a) => [
    trans.__('%1 is not a volume.', a.path),
    trans.__('Share it: jupyter gpu volume create NAME --folder %1.', a.path)
  ],
  'volume.right': (trans, _f, a) => [
    trans.__('You may not make volumes in %1.', a.project),
    trans.__('Mount one that there is, or ask an admin.')
  ],
  'volume.same': (trans, _f, a) => [
    trans.__('Two new volumes would be named %1.', a.volume),
    trans.__('Let their paths end differently.')
  ],
  'volume.small': (trans, _f, a) => [
    trans.__('A clone of %1 needs %2.', a.volume, a.size),
    trans.__('Use at least that size.')
  ],
  'volume.taken': (trans, _f, a) => [
    trans.__('There is a volume %1 already.', a.volume),
    trans.__('To mount it: %1.', a.example)
  ],
  'volume.unclonable': (trans, _f, a) => [
    trans.__('%1 cannot be cloned: it %2.', a.volume, a.why),
    trans.__('Try again then, or clone another volume.')
  ],
  'volume.unknown': (trans, f, a) => [
    trans.__('There is no volume %1 in the project.', a.name),
    trans.__('Volumes: %1.', f.and(a.known))
  ],
  'volume.unknown.none': (trans, _f, a) => [
    trans.__('There is no volume %1 in the project.', a.name),
    trans.__('Create it: jupyter gpu volume create.')
  ],
  'volume.unusable': (trans, _f, a) => [
    trans.__('%1 cannot be mounted. %2', a.volume, a.why),
    trans.__('Choose another volume.')
  ]
};
