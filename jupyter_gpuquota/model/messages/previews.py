"""What would happen to a request."""

from __future__ import annotations

from .templates import Text

PREVIEWS = {
    "preview.no_gpu": Text("Starts now; no GPU needed."),
    "preview.starts": Text("Starts now on {place:place}."),
    "preview.starts_part": Text(
        "Starts now on {place:place}: {before:amount} → {after:gpus} allocated."
    ),
    "preview.admitted": Text("Starts as soon as a node has {share:share} free."),
    "preview.estimate": Text("An estimate: the cluster decides."),
    "preview.attached": Text("Runs on node {nodes:or}: volume {volume} is attached there."),
    "preview.home": Text("Runs on node {nodes:or}: your home folder is attached there."),
    "preview.reachable": Text("Runs on node {nodes:or}: {volume} can only be used there."),
    "preview.zone": Text("Runs in zone {zones:or}: {volume} can only be used there."),
    "preview.unknown": Text("The cluster does not tell when it would start."),
    "preview.uses": Text("Uses {used:gpus} of your quota."),
    "preview.uses_alone": Text("Uses {used:gpus}."),
    "preview.borrows": Text(
        "Borrows {borrowed:gpus}, which {owners:or} can reclaim; the session would then be "
        "requeued."
    ),
    "preview.borrows_any": Text(
        "Borrows {borrowed:gpus}, which other projects can reclaim; the session would then be "
        "requeued."
    ),
    "preview.borrows_kept": Text("Borrows {borrowed:gpus}, which no other project can reclaim."),
    "preview.within": Text("Starts within {grace:duration}."),
    "preview.released": Text("Starts once GPUs have been released."),
    "preview.preempts": Text(
        "Preempts {sessions:sessions}, which will be requeued, to free {freed:gpus}."
    ),
    "preview.cached": Text("Cached already: {data:and}."),
    "preview.fetched": Text("{data} will be fetched first ({size:bytes})."),
    "preview.fetched_in": Text(
        "{data} will be fetched first ({size:bytes}, about {span:duration})."
    ),
    "preview.no_room": Text("{data} ({size:bytes}) does not fit into the cache now."),
    "preview.queued": Text("Will be queued (#{place:count} in {project}):"),
    "preview.queued_alone": Text("Will be queued (#{place:count}):"),
    "preview.nearest": Text("{share:share} would start now."),
    "preview.as_spot": Text("It would start now if others could preempt it."),
    "preview.expected": Text(
        "{share:share} should be free at about {at:time}, in {span:duration}."
    ),
    "preview.apart": Text(
        "Its processes start one by one: if nodes lack room, some hold GPUs while others wait."
    ),
    "preview.no_mpi": Text(
        "The cluster has no MPIJobs: each process runs the command itself, without a launcher."
    ),
    "preview.mpi_right": Text(
        "A right for MPIJobs is missing in {project} ({right}): each process runs the command "
        "itself, without a launcher."
    ),
    "preview.no_trainjob": Text("The cluster has no TrainJobs: it is an Indexed Job."),
    "preview.trainjob_right": Text(
        "A right for TrainJobs is missing in {project} ({right}): it is an Indexed Job."
    ),
    "preview.no_runtime": Text(
        "The runtime {runtime} for TrainJobs is not there or may not be read: it is an Indexed Job."
    ),
    "preview.unfit_runtime": Text(
        "It is an Indexed Job, as a TrainJob of the runtime {runtime} would differ in {fields:and}."
    ),
    "preview.rounded": Text("Rounded up to {share:share}."),
    "preview.allowed": Text("{share:share} would be allowed."),
}
