// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const reasons: Texts = {
  'container.failed': (trans, _f, a) => [
    trans.__('Its container cannot be created: %1.', a.detail),
    trans.__('Starts once this is corrected.')
  ],
  'crash.loop': (trans, _f, a) => [
    trans._n('It exited with code %2 and is being restarted.', 'It exited %1 times, last with code %2.', Number(a.times), a.status),
    trans.__('Check the log.')
  ],
  'data.failed': (trans, _f, a) => [
    trans.__('%1 cannot be cached: %2', a.data, a.problem),
    trans.__('Starts once it is cached: jupyter gpu data cache %1.', a.data)
  ],
  'data.fetching': (trans, f, a) => [
    trans.__('Fetching %1: %2 %.', a.data, f.count(a.done)),
    trans.__('Starts when it is cached.')
  ],
  'data.hidden': (trans) => [
    trans.__('Waiting for its data.'),
    trans.__('Starts when it is cached.')
  ],
  'data.waiting': (trans, _f, a) => [
    trans.__('Waiting for %1 to be cached.', a.data),
    trans.__('Starts when it is.')
  ],
  'fragmented.part': (trans, f, a) => [
    trans.__('%1 free in total, but no single GPU has %2 free.', f.gpus(a.free), f.share(a.share)),
    trans.__('Starts when enough of one GPU is free.')
  ],
  'fragmented.part.on': (trans, f, a) => [
    trans.__('%1 free in total on %2, but no single GPU has %3 free.', f.gpus(a.free), f.and(a.nodes), f.share(a.share)),
    trans.__('Starts when enough of one GPU is free.')
  ],
  'fragmented.part.on.smaller': (trans, f, a) => [
    trans.__('%1 free in total on %2, but no single GPU has %3 free.', f.gpus(a.free), f.and(a.nodes), f.share(a.share)),
    trans.__('Request %1, which would start now, or wait until enough of one GPU is free.', f.gpus(a.best))
  ],
  'fragmented.part.smaller': (trans, f, a) => [
    trans.__('%1 free in total, but no single GPU has %2 free.', f.gpus(a.free), f.share(a.share)),
    trans.__('Request %1, which would start now, or wait until enough of one GPU is free.', f.gpus(a.best))
  ],
  'fragmented.parts': (trans, f, a) => [
    trans.__('%1 free in total, but no node has %2 of each of %3 GPUs free.', f.gpus(a.free), f.amount(a.each), f.count(a.devices)),
    trans.__('Starts when enough of several GPUs of one node is free.')
  ],
  'fragmented.parts.on': (trans, f, a) => [
    trans.__('%1 free in total on %2, but no node has %3 of each of %4 GPUs free.', f.gpus(a.free), f.and(a.nodes), f.amount(a.each), f.count(a.devices)),
    trans.__('Starts when enough of several GPUs of one node is free.')
  ],
  'fragmented.parts.on.smaller': (trans, f, a) => [
    trans.__('%1 free in total on %2, but no node has %3 of each of %4 GPUs free.', f.gpus(a.free), f.and(a.nodes), f.amount(a.each), f.count(a.devices)),
    trans.__('Request %1, which would start now, or wait until enough of several GPUs of one node is free.', f.gpus(a.best))
  ],
  'fragmented.parts.smaller': (trans, f, a) => [
    trans.__('%1 free in total, but no node has %2 of each of %3 GPUs free.', f.gpus(a.free), f.amount(a.each), f.count(a.devices)),
    trans.__('Request %1, which would start now, or wait until enough of several GPUs of one node is free.', f.gpus(a.best))
  ],
  'fragmented.reclaim.part': (trans, f, a) => [
    trans.__('%1 free and %2 that could be reclaimed, but not enough of one GPU.', f.amount(a.free), f.gpus(a.more)),
    trans.__('Starts when enough of one GPU is free.')
  ],
  'fragmented.reclaim.parts': (trans, f, a) => [
    trans.__('%1 free and %2 that could be reclaimed, but not enough of several GPUs of one node.', f.amount(a.free), f.gpus(a.more)),
    trans.__('Starts when enough of several GPUs of one node is free.')
  ],
  'fragmented.reclaim.whole': (trans, f, a) => [
    trans.__('%1 free and %2 that could be reclaimed, but not enough on one node.', f.amount(a.free), f.gpus(a.more)),
    trans.__('Starts when enough GPUs of one node are free.')
  ],
  'fragmented.whole': (trans, f, a) => [
    trans._n('%2 free in total, but no node has a whole GPU free.', '%2 free in total, but no node has %1 whole GPUs free.', Number(a.devices), f.gpus(a.free)),
    trans.__('Starts when enough GPUs of one node are free.')
  ],
  'fragmented.whole.on': (trans, f, a) => [
    trans._n('%2 free in total on %3, but no node has a whole GPU free.', '%2 free in total on %3, but no node has %1 whole GPUs free.', Number(a.devices), f.gpus(a.free), f.and(a.nodes)),
    trans.__('Starts when enough GPUs of one node are free.')
  ],
  'fragmented.whole.on.smaller': (trans, f, a) => [
    trans._n('%2 free in total on %3, but no node has a whole GPU free.', '%2 free in total on %3, but no node has %1 whole GPUs free.', Number(a.devices), f.gpus(a.free), f.and(a.nodes)),
    trans.__('Request %1, which would start now, or wait until enough GPUs of one node are free.', f.gpus(a.best))
  ],
  'fragmented.whole.smaller': (trans, f, a) => [
    trans._n('%2 free in total, but no node has a whole GPU free.', '%2 free in total, but no node has %1 whole GPUs free.', Number(a.devices), f.gpus(a.free)),
    trans.__('Request %1, which would start now, or wait until enough GPUs of one node are free.', f.gpus(a.best))
  ],
  'gpus.in_use': (trans, f, a) => [
    trans.__('%1 of %2 are in use; %3 requested.', f.amount(a.used), f.gpus(a.quota), f.gpus(a.more)),
    trans.__('Starts when enough GPUs are free.')
  ],
  'gpus.kept': (trans, f, a) => [
    trans.__('Interactive sessions already use %1 of %2; this one needs %3.', f.amount(a.used), f.gpus(a.quota), f.gpus(a.more)),
    trans.__('Starts when %1 of that is released.', f.gpus(a.missing))
  ],
  'gpus.kept.ahead': (trans, f, a) => [
    trans.__('Interactive sessions already use %1 of %2; this one needs %3.', f.amount(a.used), f.gpus(a.quota), f.gpus(a.more)),
    trans.__('Starts when %1 of that is released beyond what those ahead of it need.', f.gpus(a.missing))
  ],
  'gpus.kept.never': (trans, f, a) => [
    trans.__('Interactive sessions already use %1 of %2; this one needs %3.', f.amount(a.used), f.gpus(a.quota), f.gpus(a.more)),
    trans.__('Request less, or ask an administrator for more; otherwise it cannot start.')
  ],
  'gpus.mig': (trans, _f, a) => [
    trans.__('All MIG instances with profile %1 are in use.', a.profile),
    trans.__('Starts when one is released.')
  ],
  'gpus.no_node': (trans, f, a) => [
    trans.__('%1 requested, but none of the nodes it may use is available.', f.share(a.share)),
    trans.__('Starts when such a node is available.')
  ],
  'gpus.too_few': (trans, f, a) => [
    trans.__('%1 requested, %2 free.', f.share(a.share), f.gpus(a.free)),
    trans.__('Starts when enough GPUs are free.')
  ],
  'gpus.too_few.on': (trans, f, a) => [
    trans.__('%1 requested, %2 free on %3.', f.share(a.share), f.gpus(a.free), f.and(a.nodes)),
    trans.__('Starts when enough GPUs are free.')
  ],
  'image.failed': (trans, _f, a) => [
    trans.__('%1 cannot be pulled.', a.image),
    trans.__("Check the image's name and the right to pull it.")
  ],
  'image.pulling': (trans, f, a) => [
    trans.__('Pulling %1 since %2.', a.image, f.time(a.since))
  ],
  'node.none': (trans) => [
    trans.__('No node has room for it.'),
    trans.__('Starts when one has.')
  ],
  'pod.quota': (trans, _f, a) => [
    trans.__('A resource quota of %1 is used up.', a.project),
    trans.__('Starts when enough of it is released.')
  ],
  'pod.refused': (trans) => [
    trans.__('The cluster refuses to create its pod.'),
    trans.__('Ask an administrator.')
  ],
  'project.draining': (trans, _f, a) => [
    trans.__('Project %1 is being closed and starts no sessions.', a.project),
    trans.__('Ask an administrator, or launch it in another project.')
  ],
  'project.missing': (trans, _f, a) => [
    trans.__('Project %1 no longer exists.', a.project),
    trans.__('Ask an administrator, or launch it in another project.')
  ],
  'queue.evicted': (trans) => [
    trans.__("The cluster's queue stopped it."),
    trans.__('It is requeued and restarts automatically when it is admitted.')
  ],
  'queue.inactive': (trans, _f, a) => [
    trans.__('The queue %1 of %2 starts nothing at present.', a.queue, a.project),
    trans.__('Ask an administrator, or launch it in another project.')
  ],
  'queue.missing': (trans, _f, a) => [
    trans.__('%1 has no queue named %2.', a.project, a.queue),
    trans.__('Ask an administrator, or launch it in another project.')
  ],
  'queue.refuses': (trans, _f, a) => [
    trans.__('The queue %1 of %2 does not admit this request now.', a.queue, a.project),
    trans.__('Ask an administrator, or launch it in another project.')
  ],
  'quota.borrow_all': (trans, f, a) => [
    trans.__('%1 uses %2 (quota: %3), so %4 would have to be borrowed, and that many are not free.', a.project, f.gpus(a.used), f.amount(a.quota), f.gpus(a.more)),
    trans.__('Starts when enough GPUs are free.')
  ],
  'quota.borrow_part': (trans, f, a) => [
    trans.__('%1 uses %2 (quota: %3), so %4 of %5 would have to be borrowed, and too little is free.', a.project, f.gpus(a.used), f.amount(a.quota), f.amount(a.borrowed), f.gpus(a.more)),
    trans.__('Starts when enough GPUs are free.')
  ],
  'quota.holders': (trans, f, a) => [
    trans.__('In use: %1.', f.holders(a.holders))
  ],
  'quota.interactive': (trans, f, a) => [
    trans.__("%1's interactive sessions already use %2 of its %3; %4 more would exceed the quota.", a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Starts when %1 of that is released. Interactive (spot) sessions may borrow.', f.gpus(a.missing))
  ],
  'quota.interactive.ahead': (trans, f, a) => [
    trans.__("%1's interactive sessions already use %2 of its %3; %4 more would exceed the quota.", a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Starts when %1 of that is released beyond what those ahead of it need. Interactive (spot) sessions may borrow.', f.gpus(a.missing))
  ],
  'quota.interactive.never': (trans, f, a) => [
    trans.__("%1's interactive sessions already use %2 of its %3; %4 more would exceed the quota.", a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Request less, or ask an administrator for more; otherwise it cannot start. Interactive (spot) sessions may borrow.')
  ],
  'quota.limit': (trans, f, a) => [
    trans.__('%1 already uses %2 of its limit of %3; %4 more would exceed it.', a.project, f.amount(a.used), f.gpus(a.limit), f.amount(a.more)),
    trans.__('Starts when %1 of that is released.', f.gpus(a.missing))
  ],
  'quota.limit.ahead': (trans, f, a) => [
    trans.__('%1 already uses %2 of its limit of %3; %4 more would exceed it.', a.project, f.amount(a.used), f.gpus(a.limit), f.amount(a.more)),
    trans.__('Starts when %1 of that is released beyond what those ahead of it need.', f.gpus(a.missing))
  ],
  'quota.limit.never': (trans, f, a) => [
    trans.__('%1 already uses %2 of its limit of %3; %4 more would exceed it.', a.project, f.amount(a.used), f.gpus(a.limit), f.amount(a.more)),
    trans.__('Request less, or ask an administrator for more; otherwise it cannot start.')
  ],
  'quota.no_borrowing': (trans, f, a) => [
    trans.__('%1 already uses %2 of its %3; %4 more would exceed the quota, and it may not borrow.', a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Starts when %1 of that is released.', f.gpus(a.missing))
  ],
  'quota.no_borrowing.ahead': (trans, f, a) => [
    trans.__('%1 already uses %2 of its %3; %4 more would exceed the quota, and it may not borrow.', a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Starts when %1 of that is released beyond what those ahead of it need.', f.gpus(a.missing))
  ],
  'quota.no_borrowing.never': (trans, f, a) => [
    trans.__('%1 already uses %2 of its %3; %4 more would exceed the quota, and it may not borrow.', a.project, f.amount(a.used), f.gpus(a.quota), f.amount(a.more)),
    trans.__('Request less, or ask an administrator for more; otherwise it cannot start.')
  ],
  'quota.not_reclaimable': (trans, _f, a) => [
    trans.__("It is within %1's quota, but not enough can be reclaimed.", a.project)
  ],
  'reclaim.borrowed': (trans, f, a) => [
    trans.__('Preempted by %1, which is entitled to GPUs that %2 had borrowed.', f.sessions(a.session), a.project),
    trans.__('It is requeued and restarts automatically when GPUs are free.')
  ],
  'reclaim.expected': (trans, f, a) => [
    trans.__('Waits for GPUs to be reclaimed from %1.', f.sessions(a.sessions)),
    trans.__('Starts when they are released.')
  ],
  'reclaim.moved': (trans, f, a) => [
    trans.__('Preempted to make room for %1; it continues on other GPUs.', f.sessions(a.session)),
    trans.__('It is requeued and restarts automatically.')
  ],
  'reclaim.pending': (trans, f, a) => [
    trans.__('GPUs are being reclaimed for it from %1.', f.sessions(a.sessions)),
    trans.__('Starts when they are released; saving may take up to %1.', f.duration(a.grace))
  ],
  'reclaim.priority': (trans, f, a) => [
    trans.__('Preempted by %1, which has priority over it.', f.sessions(a.session)),
    trans.__('It is requeued and restarts automatically when GPUs are free.')
  ],
  'reclaim.protected': (trans, f, a) => [
    trans.__('Sessions that borrow its GPUs are protected until %1.', f.time(a.until)),
    trans.__('Starts after that.')
  ],
  'reclaim.releasing': (trans, f, a) => [
    trans.__('GPUs are being released for it by %1.', f.sessions(a.sessions)),
    trans.__('Starts when they are released.')
  ],
  'reclaim.stopping': (trans) => [
    trans.__('Sessions that are stopping still hold GPUs.'),
    trans.__('Starts when they are released.')
  ],
  'volume.apart': (trans, _f, a) => [
    trans.__('%1 and %2 are attached to different nodes.', a.volume, a.other),
    trans.__('Starts when nothing mounts one of them.')
  ],
  'volume.attached': (trans, f, a) => [
    trans.__('Runs on node %1: volume %2 is attached there.', f.or(a.nodes), a.volume),
    trans.__('Starts when there is room, or nothing mounts the volume there.')
  ],
  'volume.changing': (trans) => [
    trans.__('It is being changed.')
  ],
  'volume.failed': (trans, _f, a) => [
    trans.__('The cluster says: %1.', a.problem),
    trans.__('Ask an administrator.')
  ],
  'volume.first': (trans) => [
    trans.__('Made when a session first mounts it.'),
    trans.__('Launch one that does.')
  ],
  'volume.full': (trans, f, a) => [
    trans.__('It uses %1, more than its %2.', f.bytes(a.used), f.bytes(a.size)),
    trans.__('Remove files, or let it grow.')
  ],
  'volume.gone': (trans, _f, a) => [
    trans.__('%1', a.why),
    trans.__('Restore it, or delete the volume.')
  ],
  'volume.grows': (trans) => [
    trans.__('It grows when a session next mounts it.'),
    trans.__('Launch one that does.')
  ],
  'volume.home': (trans, f, a) => [
    trans.__('Runs on node %1: your home folder is attached there.', f.or(a.nodes)),
    trans.__('Starts when there is room, or nothing mounts it there.')
  ],
  'volume.lost': (trans) => [
    trans.__('The volume behind it is gone.'),
    trans.__('Restore a snapshot, or ask an admin.')
  ],
  'volume.missing': (trans, _f, a) => [
    trans.__('The claim %1 does not exist.', a.claim),
    trans.__('Starts when it does.')
  ],
  'volume.pending': (trans) => [
    trans.__('A volume is not ready.'),
    trans.__('Starts when it is.')
  ]
};
