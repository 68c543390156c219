// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const shares: Texts = {
  'quota.number': (trans, _f, a) => [
    trans.__('%1 is not a number of GPUs.', a.value),
    trans.__('Use 4 or 2.5: 0 or more, with at most three decimals.')
  ],
  'share.amount': (trans, _f, a) => [
    trans.__('%1 is not an amount of memory.', a.value),
    trans.__('Use MiB (8192) or 8Gi.')
  ],
  'share.amount.zero': (trans) => [
    trans.__('A memory share must be at least 1 MiB.'),
    trans.__('Leave the GPU empty for a CPU-only session.')
  ],
  'share.compute': (trans, f, a) => [
    trans.__('Must be one of 5, 10, … 100 %.'),
    trans.__('Use %1.', f.count(a.near))
  ],
  'share.compute.alone': (trans) => [
    trans.__('A compute share requires a fraction of a GPU, or memory on one GPU.'),
    trans.__('Set gpu below 1 or gpu_memory as well, or leave compute empty.')
  ],
  'share.compute.none': (trans) => [
    trans.__('The nodes cannot limit compute.'),
    trans.__('Leave it empty.')
  ],
  'share.devices': (trans, f, a) => [
    trans.__('No node has %1.', f.share(a.share)),
    trans.__('The largest node has %1 to share.', f.gpus(a.most))
  ],
  'share.devices.of': (trans, f, a) => [
    trans.__('No node that %1 may use has %2.', a.project, f.share(a.share)),
    trans.__('The largest has %1 to share.', f.gpus(a.most))
  ],
  'share.exclusive': (trans, _f, a) => [
    trans.__('%1 and %2 cannot be combined.', a.first, a.second),
    trans.__('Keep one of them.')
  ],
  'share.fraction': (trans, f, a) => [
    trans.__('%1 is not written as a number.', a.value),
    trans.__('Use %1.', f.amount(a.number))
  ],
  'share.memory': (trans, f, a) => [
    trans.__('No GPU has %1.', f.memory(a.memory)),
    trans.__('The largest has %1.', f.memory(a.most))
  ],
  'share.mig': (trans, f, a) => [
    trans.__('No GPU has a MIG instance with profile %1.', a.profile),
    trans.__('Available: %1.', f.and(a.profiles))
  ],
  'share.mig.none': (trans, _f, a) => [
    trans.__('No GPU has a MIG instance with profile %1.', a.profile),
    trans.__('No GPU is in MIG mode.')
  ],
  'share.no_gpus': (trans) => [
    trans.__('No GPUs are available.'),
    trans.__('Leave the GPU empty for a CPU-only session.')
  ],
  'share.no_node': (trans, _f, a) => [
    trans.__('None of the nodes that %1 may use has a GPU for this kind of session.', a.project),
    trans.__('An administrator sets which node groups a project may use.')
  ],
  'share.node_group': (trans, f, a) => [
    trans.__("Node group '%1' does not exist.", a.group),
    trans.__('Available: %1.', f.and(a.groups))
  ],
  'share.node_group.none': (trans, _f, a) => [
    trans.__("Node group '%1' does not exist.", a.group),
    trans.__('No node groups are set; leave this empty.')
  ],
  'share.not_shared': (trans) => [
    trans.__('No node is known to share GPUs.'),
    trans.__('Request whole GPUs.')
  ],
  'share.number': (trans, _f, a) => [
    trans.__('%1 is not a number of GPUs.', a.value),
    trans.__('Use 0.5, or a whole number.')
  ],
  'share.over_limit': (trans, f, a) => [
    trans.__('%1 may use at most %2.', a.project, f.gpus(a.most)),
    trans.__('Request less.')
  ],
  'share.over_quota': (trans, f, a) => [
    trans.__("%1's quota is %2.", a.project, f.gpus(a.quota)),
    trans.__('Interactive sessions never borrow: request less, or choose Interactive (spot) or Training.')
  ],
  'share.over_quota.no_borrowing': (trans, f, a) => [
    trans.__("%1's quota is %2.", a.project, f.gpus(a.quota)),
    trans.__('Request less.')
  ],
  'share.parts': (trans, f, a) => [
    trans.__('A session can have at most %1: the nodes share GPUs in fixed parts.', f.share(a.most)),
    trans.__('Request less.')
  ],
  'share.profile': (trans, _f, a) => [
    trans.__('%1 is not a MIG profile.', a.value),
    trans.__('Profiles look like 1g.10gb.')
  ],
  'share.step': (trans, f, a) => [
    trans.__('Finer than the smallest step, 0.001 GPU.'),
    trans.__('Use %1.', f.amount(a.near))
  ],
  'share.whole': (trans, f, a) => [
    trans.__('Above 1, only whole GPUs are possible: enter %1 or %2.', f.count(a.below), f.count(a.above))
  ],
  'share.zero': (trans) => [
    trans.__('A share must be above 0.'),
    trans.__('Leave the GPU empty for a CPU-only session.')
  ]
};
