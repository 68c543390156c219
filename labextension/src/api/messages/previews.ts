// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const previews: Texts = {
  'preview.admitted': (trans, f, a) => [
    trans.__('Starts as soon as a node has %1 free.', f.share(a.share))
  ],
  'preview.allowed': (trans, f, a) => [
    trans.__('%1 would be allowed.', f.share(a.share))
  ],
  'preview.apart': (trans) => [
    trans.__('Its processes start one by one: if nodes lack room, some hold GPUs while others wait.')
  ],
  'preview.as_spot': (trans) => [
    trans.__('It would start now if others could preempt it.')
  ],
  'preview.attached': (trans, f, a) => [
    trans.__('Runs on node %1: volume %2 is attached there.', f.or(a.nodes), a.volume)
  ],
  'preview.borrows': (trans, f, a) => [
    trans.__('Borrows %1, which %2 can reclaim; the session would then be requeued.', f.gpus(a.borrowed), f.or(a.owners))
  ],
  'preview.borrows_any': (trans, f, a) => [
    trans.__('Borrows %1, which other projects can reclaim; the session would then be requeued.', f.gpus(a.borrowed))
  ],
  'preview.borrows_kept': (trans, f, a) => [
    trans.__('Borrows %1, which no other project can reclaim.', f.gpus(a.borrowed))
  ],
  'preview.cached': (trans, f, a) => [
    trans.__('Cached already: %1.', f.and(a.data))
  ],
  'preview.estimate': (trans) => [
    trans.__('An estimate: the cluster decides.')
  ],
  'preview.expected': (trans, f, a) => [
    trans.__('%1 should be free at about %2, in %3.', f.share(a.share), f.time(a.at), f.duration(a.span))
  ],
  'preview.fetched': (trans, f, a) => [
    trans.__('%1 will be fetched first (%2).', a.data, f.bytes(a.size))
  ],
  'preview.fetched_in': (trans, f, a) => [
    trans.__('%1 will be fetched first (%2, about %3).', a.data, f.bytes(a.size), f.duration(a.span))
  ],
  'preview.home': (trans, f, a) => [
    trans.__('Runs on node %1: your home folder is attached there.', f.or(a.nodes))
  ],
  'preview.mpi_right': (trans, _f, a) => [
    trans.__('A right for MPIJobs is missing in %1 (%2): each process runs the command itself, without a launcher.', a.project, a.right)
  ],
  'preview.nearest': (trans, f, a) => [
    trans.__('%1 would start now.', f.share(a.share))
  ],
  'preview.no_gpu': (trans) => [
    trans.__('Starts now; no GPU needed.')
  ],
  'preview.no_mpi': (trans) => [
    trans.__('The cluster has no MPIJobs: each process runs the command itself, without a launcher.')
  ],
  'preview.no_room': (trans, f, a) => [
    trans.__('%1 (%2) does not fit into the cache now.', a.data, f.bytes(a.size))
  ],
  'preview.no_runtime': (trans, _f, a) => [
    trans.__('The runtime %1 for TrainJobs is not there or may not be read: it is an Indexed Job.', a.runtime)
  ],
  'preview.no_trainjob': (trans) => [
    trans.__('The cluster has no TrainJobs: it is an Indexed Job.')
  ],
  'preview.preempts': (trans, f, a) => [
    trans.__('Preempts %1, which will be requeued, to free %2.', f.sessions(a.sessions), f.gpus(a.freed))
  ],
  'preview.queued': (trans, f, a) => [
    trans.__('Will be queued (#%1 in %2):', f.count(a.place), a.project)
  ],
  'preview.queued_alone': (trans, f, a) => [
    trans.__('Will be queued (#%1):', f.count(a.place))
  ],
  'preview.reachable': (trans, f, a) => [
    trans.__('Runs on node %1: %2 can only be used there.', f.or(a.nodes), a.volume)
  ],
  'preview.released': (trans) => [
    trans.__('Starts once GPUs have been released.')
  ],
  'preview.rounded': (trans, f, a) => [
    trans.__('Rounded up to %1.', f.share(a.share))
  ],
  'preview.starts': (trans, f, a) => [
    trans.__('Starts now on %1.', f.place(a.place))
  ],
  'preview.starts_part': (trans, f, a) => [
    trans.__('Starts now on %1: %2 → %3 allocated.', f.place(a.place), f.amount(a.before), f.gpus(a.after))
  ],
  'preview.trainjob_right': (trans, _f, a) => [
    trans.__('A right for TrainJobs is missing in %1 (%2): it is an Indexed Job.', a.project, a.right)
  ],
  'preview.unfit_runtime': (trans, f, a) => [
    trans.__('It is an Indexed Job, as a TrainJob of the runtime %1 would differ in %2.', a.runtime, f.and(a.fields))
  ],
  'preview.unknown': (trans) => [
    trans.__('The cluster does not tell when it would start.')
  ],
  'preview.uses': (trans, f, a) => [
    trans.__('Uses %1 of your quota.', f.gpus(a.used))
  ],
  'preview.uses_alone': (trans, f, a) => [
    trans.__('Uses %1.', f.gpus(a.used))
  ],
  'preview.within': (trans, f, a) => [
    trans.__('Starts within %1.', f.duration(a.grace))
  ],
  'preview.zone': (trans, f, a) => [
    trans.__('Runs in zone %1: %2 can only be used there.', f.or(a.zones), a.volume)
  ]
};
