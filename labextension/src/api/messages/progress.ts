// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const progress: Texts = {
  'progress.command': (trans, _f, a) => [
    trans.__('Starting %1 from %2', a.command, a.environment)
  ],
  'progress.fetched': (trans, f, a) => [
    trans.__('Fetched %1 in %2', a.data, f.duration(a.span))
  ],
  'progress.fetching': (trans, _f, a) => [
    trans.__('Fetching %1', a.data)
  ],
  'progress.placed': (trans, f, a) => [
    trans.__('Placed on %1', f.place(a.place))
  ],
  'progress.pulled': (trans, f, a) => [
    trans.__('Pulled %1 (%2) in %3', a.image, f.memory(a.size), f.duration(a.span))
  ],
  'progress.pulling': (trans, _f, a) => [
    trans.__('Pulling %1', a.image)
  ],
  'progress.ready': (trans) => [
    trans.__('Ready')
  ],
  'progress.refused_on': (trans, _f, a) => [
    trans.__('Refused in %1: %2', a.cluster, a.why)
  ],
  'progress.running': (trans) => [
    trans.__('Running')
  ],
  'progress.server': (trans, _f, a) => [
    trans.__('Starting a Jupyter Server from %1', a.environment)
  ],
  'progress.simulated': (trans) => [
    trans.__('Running in memory only: no process is started')
  ],
  'progress.went_on': (trans, f, a) => [
    trans.__('Waited %1 in %2; now in %3', f.duration(a.span), a.cluster, a.next)
  ],
  'warning.gpu_idle_timeout.notify': (trans, f, a) => [
    trans.__('Its GPU has been unused since %1 (%2)', f.time(a.since), f.policy(a.policy))
  ],
  'warning.gpu_idle_timeout.stop': (trans, f, a) => [
    trans.__('Will be stopped at %1 because its GPU is unused (%2)', f.time(a.at), f.policy(a.policy))
  ],
  'warning.gpu_idle_timeout.suspend': (trans, f, a) => [
    trans.__('Will be suspended at %1 because its GPU is unused (%2)', f.time(a.at), f.policy(a.policy))
  ],
  'warning.idle_timeout.notify': (trans, f, a) => [
    trans.__('Idle since %1 (%2)', f.time(a.since), f.policy(a.policy))
  ],
  'warning.idle_timeout.stop': (trans, f, a) => [
    trans.__('Will be stopped at %1 unless used (%2)', f.time(a.at), f.policy(a.policy))
  ],
  'warning.idle_timeout.suspend': (trans, f, a) => [
    trans.__('Will be suspended at %1 unless used (%2)', f.time(a.at), f.policy(a.policy))
  ],
  'warning.lifetime': (trans, f, a) => [
    trans.__('Will be stopped at %1, the end of its maximum run time (%2); save your work', f.time(a.at), f.policy(a.policy))
  ]
};
