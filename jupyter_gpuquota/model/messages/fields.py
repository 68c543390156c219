"""What is wrong with the fields of any request, and with those of a session."""

from __future__ import annotations

from .templates import Text

_CPU_ONLY = "Leave the GPU empty for a CPU-only session."
_NO_ACCESS = "Ask an administrator to add you to a project."

FIELDS = {
    "field.unknown": Text("Unknown field.", "Did you mean {near}?"),
    "field.unknown.all": Text("Unknown field.", "Fields: {fields:and}."),
    "field.unknown.none": Text("Unknown field.", "This request has no fields."),
    "field.required": Text("Required."),
    "field.twice": Text("Given more than once."),
    "field.choice": Text("{value} is not possible.", "Choose {choices:or}."),
    "field.range": Text(
        "Must be between {least:count} and {most:count}, not {value:count}.",
    ),
    "field.nul": Text("Must not contain a NUL character."),
    "field.printable": Text("Use printable characters only."),
    "name.missing": Text("Enter a name.", "For example {example}."),
    "name.long": Text("Use at most {most:count} characters, not {count:count}."),
    "name.characters": Text(
        "Use lowercase letters, digits and hyphens (not first or last), e.g. {example}."
    ),
    "name.empty": Text("The name is empty."),
    "name.twice": Text("{name} is listed twice.", "Keep one of them."),
    "name.taken": Text(
        "This name is already used by another session.", "Open that one, or choose another name."
    ),
    "name.taken.ended": Text(
        "This name is already used by an ended session.",
        "Resume or delete that one, or choose another name.",
    ),
    "duration.never": Text("Not a duration.", "Use 90s, 30m, 2h or 1d; 0 = never."),
    "duration.none": Text("Not a duration.", "Use 90s, 30m, 2h or 1d; 0 = none."),
    "duration.default": Text(
        "Not a duration.", "Use 90s, 30m, 2h or 1d, or leave it empty for the default."
    ),
    "duration.zero": Text(
        "Must be between 1 second and 1 year.", "Leave it empty for the default."
    ),
    "duration.long": Text("Longer than a year."),
    "time.invalid": Text("Not a valid time.", "Use 2026-03-01T18:00Z or 2026-03-01T18:00+01:00."),
    "time.zone": Text(
        "The time zone is missing.", "Use 2026-03-01T18:00Z or 2026-03-01T18:00+01:00."
    ),
    "time.years": Text("Must be between the years {first} and {last}."),
    "time.order": Text(
        "The end must be after the beginning, and at most {days:count} days after it."
    ),
}

SHARES = {
    "share.fraction": Text("{value} is not written as a number.", "Use {number:amount}."),
    "share.number": Text("{value} is not a number of GPUs.", "Use 0.5, or a whole number."),
    "share.zero": Text("A share must be above 0.", _CPU_ONLY),
    "share.whole": Text(
        "Above 1, only whole GPUs are possible: enter {below:count} or {above:count}."
    ),
    "share.step": Text("Finer than the smallest step, 0.001 GPU.", "Use {near:amount}."),
    "share.amount": Text("{value} is not an amount of memory.", "Use MiB (8192) or 8Gi."),
    "share.amount.zero": Text("A memory share must be at least 1 MiB.", _CPU_ONLY),
    "share.compute": Text("Must be one of 5, 10, … 100 %.", "Use {near:count}."),
    "share.compute.alone": Text(
        "A compute share requires a fraction of a GPU, or memory on one GPU.",
        "Set gpu below 1 or gpu_memory as well, or leave compute empty.",
    ),
    "share.profile": Text("{value} is not a MIG profile.", "Profiles look like 1g.10gb."),
    "share.exclusive": Text("{first} and {second} cannot be combined.", "Keep one of them."),
    "quota.number": Text(
        "{value} is not a number of GPUs.", "Use 4 or 2.5: 0 or more, with at most three decimals."
    ),
    "share.node_group": Text("Node group '{group}' does not exist.", "Available: {groups:and}."),
    "share.node_group.none": Text(
        "Node group '{group}' does not exist.", "No node groups are set; leave this empty."
    ),
    "share.no_gpus": Text("No GPUs are available.", _CPU_ONLY),
    "share.over_quota": Text(
        "{project}'s quota is {quota:gpus}.",
        "Interactive sessions never borrow: request less, or choose Interactive (spot) or "
        "Training.",
    ),
    "share.over_quota.no_borrowing": Text("{project}'s quota is {quota:gpus}.", "Request less."),
    "share.over_limit": Text("{project} may use at most {most:gpus}.", "Request less."),
    "share.no_node": Text(
        "None of the nodes that {project} may use has a GPU for this kind of session.",
        "An administrator sets which node groups a project may use.",
    ),
    "share.mig": Text(
        "No GPU has a MIG instance with profile {profile}.", "Available: {profiles:and}."
    ),
    "share.mig.none": Text(
        "No GPU has a MIG instance with profile {profile}.", "No GPU is in MIG mode."
    ),
    "share.memory": Text("No GPU has {memory:memory}.", "The largest has {most:memory}."),
    "share.devices": Text(
        "No node has {share:share}.", "The largest node has {most:gpus} to share."
    ),
    "share.devices.of": Text(
        "No node that {project} may use has {share:share}.",
        "The largest has {most:gpus} to share.",
    ),
    "share.parts": Text(
        "A session can have at most {most:share}: the nodes share GPUs in fixed parts.",
        "Request less.",
    ),
    "share.not_shared": Text("No node is known to share GPUs.", "Request whole GPUs."),
    "share.compute.none": Text("The nodes cannot limit compute.", "Leave it empty."),
}

SESSIONS = {
    "project.closed": Text("No access to project {project}.", "Your projects: {projects:and}."),
    "project.closed.none": Text("No access to project {project}.", _NO_ACCESS),
    "project.viewer": Text(
        "You may view {project}, but not launch in it.", "You may launch in: {projects:and}."
    ),
    "project.viewer.none": Text("You may view {project}, but not launch in it.", _NO_ACCESS),
    "project.right": Text("You may not launch in {project}.", "It needs the right to {right}."),
    "project.none": Text("You cannot launch in any project.", _NO_ACCESS),
    "project.none.right": Text(
        "You cannot launch in any project.", "It needs the right to {right}, in its namespace."
    ),
    "environment.unknown": Text("Unknown environment: {name}.", "Choose one that is listed."),
    "environment.problem": Text("{problem}", "Choose one that is listed."),
    "environment.unusable": Text(
        "{problem}", "Install jupyter_server there, or choose another environment."
    ),
    "command.missing": Text(
        "A training needs a command.",
        "Enter one, e.g. python train.py, or choose Interactive for a Jupyter Server.",
    ),
    "command.empty": Text("Must not begin with an empty word."),
    "command.operator": Text(
        "No shell runs the command, so {operator} would be an argument.", "Write {shell}."
    ),
    "env.name": Text("Not a valid name of an environment variable."),
    "env.reserved": Text("{name} is set by the session."),
    "port.range": Text("{port} is not a port.", "Choose one from 1024 to 65535."),
    "port.system": Text(
        "Port {port} is reserved for the system.", "Choose one from 1024 to 65535."
    ),
    "port.twice": Text("Port {port} is listed twice.", "Keep one of them."),
    "port.exposed": Text(
        "Port {port} is already exposed by {sessions:sessions}.", "Choose another port."
    ),
    "port.used": Text(
        "Port {port} is in use by another program.", "Choose another port, or end that program."
    ),
    "argument.reserved": Text("{argument} is reserved: the session sets it.", "Leave it out."),
    "pod.process": Text(
        "Sessions of this backend are processes, not containers.", "Leave it empty."
    ),
    "pod.value": Text("{value} is not valid.", "Use {example}."),
    "pod.limit": Text("Below the request.", "Use at least {least}."),
    "pod.path": Text("{path} is used by the system or the session.", "Choose another path."),
    "pod.reserved": Text("{name} belongs to a session or a user.", "Use another one."),
    "pod.host_path": Text("{path} of the nodes may not be mounted.", "Use {example}."),
    "data.nested": Text("{path} and {other} lie inside each other.", "Choose another path."),
    "data.taken": Text("{path} exists already.", "Choose another path."),
    "volume.right": Text(
        "You may not make volumes in {project}.", "Mount one that there is, or ask an admin."
    ),
    "volume.elsewhere": Text(
        "{volume} can be mounted on one node at a time ({mode}), and is on {nodes:and} "
        "({users:and}), where this session cannot run.",
        "Stop that first, or clone it: jupyter gpu volume create NAME --from {volume} --mode RWX.",
    ),
    "volume.alone": Text(
        "{volume} can be mounted by one pod at a time ({mode}); {users:and} mounts it.",
        "Stop that first, or clone it: jupyter gpu volume create NAME --from {volume}.",
    ),
    "volume.only_read": Text("{volume} can only be read.", "Use {volume}:ro."),
    "volume.nodes": Text(
        "{volume} can be used on {nodes:and} only, where this session may not run.",
        "Choose their node group, or leave the volume out.",
    ),
    "home.elsewhere": Text(
        "Your home folder, {volume}, can be mounted on one node at a time ({mode}), and is on "
        "{nodes:and} ({users:and}), where this session cannot run.",
        "Stop that first, or ask an admin for a claim of the mode ReadWriteMany.",
    ),
    "home.alone": Text(
        "Your home folder, {volume}, can be mounted by one pod at a time ({mode}); {users:and} "
        "mounts it.",
        "Stop that first, or ask an admin for a claim of the mode ReadWriteMany.",
    ),
    "home.nodes": Text(
        "Your home folder, {volume}, can be used on {nodes:and} only, where this session may not "
        "run.",
        "Choose their node group.",
    ),
    "volume.quota": Text(
        "The quota {quota} of {project} has {left} left of {resource}.",
        "Ask for less, use another class, or delete a volume.",
    ),
    "volume.no_folder": Text(
        "Folders of nodes are no volumes.", "Leave it out: a claim is made of the storage class."
    ),
    "volume.unclonable": Text(
        "{volume} cannot be cloned: it {why}.", "Try again then, or clone another volume."
    ),
    "volume.small": Text("A clone of {volume} needs {size}.", "Use at least that size."),
    "volume.unknown": Text("There is no volume {name} in the project.", "Volumes: {known:and}."),
    "volume.unknown.none": Text(
        "There is no volume {name} in the project.", "Create it: jupyter gpu volume create."
    ),
    "volume.unusable": Text("{volume} cannot be mounted. {why}", "Choose another volume."),
    "volume.read_only": Text("{volume} is read-only.", "Use {example}."),
    "volume.both": Text(
        "{volume} is mounted both read-only and not.", "Choose one for the session."
    ),
    "volume.same": Text(
        "Two new volumes would be named {volume}.", "Let their paths end differently."
    ),
    "volume.taken": Text("There is a volume {volume} already.", "To mount it: {example}."),
    "volume.register": Text(
        "{path} is not a volume.", "Share it: jupyter gpu volume create NAME --folder {path}."
    ),
    "processes.none": Text(
        "Trainings of several processes cannot start together here.",
        "They need a Kubernetes cluster with Kueue, KAI Scheduler or a ResourceQuota of GPUs.",
    ),
    "processes.training": Text(
        "Only a training with a command can have several processes.", "Leave --interactive out."
    ),
    "resize.share": Text("Enter the new share.", "For example 0.5."),
    "resize.volume": Text(
        "A resize mounts volumes that exist.", "Create {volume} first, then mount it by its name."
    ),
    "idle_timeout.short": Text(
        "Below the minimum set by {level:policy}.", "Use at least {least:duration}."
    ),
    "idle_timeout.warning": Text(
        "Shorter than the warning period set by {level:policy}.", "Use at least {least:duration}."
    ),
    "idle_timeout.long": Text(
        "Above the maximum set by {level:policy}.", "Use at most {most:duration}."
    ),
}
