"""What is wrong with the fields of projects, node groups, rules and policies."""

from __future__ import annotations

from .templates import Text

ADMIN_FIELDS = {
    "project.renamed": Text(
        "The path names {path}, the body {body}.",
        "A project keeps its name: create another one and delete this one.",
    ),
    "project.elsewhere": Text(
        "{engine} has no such setting.", "Leave it at its default; set people's rights by RBAC."
    ),
    "project.no_borrowing": Text("Namespaces cannot borrow here.", "Leave it empty."),
    "project.limit_below": Text("Below the quota.", "Use at least {quota:gpus}, or no limit."),
    "project.whole": Text("The cluster counts whole GPUs only.", "Use a whole number."),
    "project.unknown": Text("Unknown project: {name}.", "Projects: {known:and}."),
    "project.unknown.none": Text("Unknown project: {name}.", "No projects exist."),
    "lake.url": Text(
        "{url} is not the URL of a lake.", "Use s3://, gs:// or az://BUCKET/PATH, or file:///PATH."
    ),
    "lake.url_secret": Text(
        "The URL must contain no credentials or other parameters.",
        "Put them into a file or a Secret, and name that in credentials.",
    ),
    "lake.credentials": Text(
        "Not the path of a file or the name of a Secret.", "Put no credentials themselves here."
    ),
    "lake.default": Text("{name} is the default already.", "Keep one of them."),
    "cache.high_water": Text("Must be a share of the capacity, from 0.1 to 1.", "Usual is 0.9."),
    "kind.unknown": Text("Unknown kind: {name}.", "Kinds: {known:and}."),
    "node.unknown": Text("Unknown node: {name}.", "Nodes: {known:and}."),
    "node.unknown.none": Text("Unknown node: {name}.", "No nodes exist."),
    "group.unknown": Text("Unknown node group: {name}.", "Node groups: {known:and}."),
    "group.unknown.none": Text("Unknown node group: {name}.", "No node groups exist."),
    "group.used": Text("{project} may run on the group {group} only.", "Change the project first."),
    "people.group": Text("Enter the name of the group.", "For example group:ml."),
    "policy.level.missing": Text("Choose everyone, a project or a kind."),
    "policy.level": Text("{level} is not a level.", "Choose everyone, project:NAME or kind:KIND."),
    "policy.short": Text(
        "{value:duration} is shorter than two activity checks.", "Use at least {least:duration}."
    ),
    "policy.count": Text("{value} is not a whole number from 0 to {most:count}."),
    "policy.warning": Text(
        "The warning comes {warn:duration} before, but the timeout is {timeout:duration}.",
        "Use a longer timeout, or a shorter warn_before.",
    ),
    "policy.keep_alive": Text(
        "After an extension of {keep:duration}, the next warning would come at once.",
        "Use at least {warn:duration}, or 0 for no extensions.",
    ),
    "policy.bounds": Text(
        "The minimum, {least:duration}, is above the maximum, {most:duration}.",
        "Raise the maximum, or lower the minimum.",
    ),
    "exemption.who": Text(
        "{who} is not a session, user or project.",
        "Enter session:NAME, user:NAME or project:NAME.",
    ),
    "exemption.reason": Text("Enter a reason.", "It is shown to users and administrators."),
    "exemption.over": Text("This time has passed.", "Choose a later one."),
}
