// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const endings: Texts = {
  'device.removed': (trans, f, a) => [
    trans.__('%1 lost GPU %2 while the session was using it.', a.node, f.and(a.gpus))
  ],
  'ending.killed': (trans) => [
    trans.__('It did not end in time and was killed; unsaved data is lost.')
  ],
  'ending.unknown': (trans) => [
    trans.__('It is not known whether notebooks had unsaved changes.')
  ],
  'ending.unknown.since': (trans, f, a) => [
    trans.__('It is not known whether notebooks had unsaved changes after the last save at %1.', f.time(a.saved))
  ],
  'ending.unsaved': (trans, _f, a) => [
    trans._n('%1 open document could not be saved.', '%1 open documents could not be saved.', Number(a.documents))
  ],
  'gpu_idle_timeout.stop': (trans, f, a) => [
    trans.__('Stopped: GPU idle for %1 (GPU idle timeout of %2). No %3.', f.duration(a.span), f.policy(a.policy), f.signals(a.signals)),
    trans.__('Resume starts it again in the same folder with the same settings. Kernel memory is gone.')
  ],
  'gpu_idle_timeout.suspend': (trans, f, a) => [
    trans.__('Suspended: GPU idle for %1 (GPU idle timeout of %2). No %3.', f.duration(a.span), f.policy(a.policy), f.signals(a.signals)),
    trans.__('Resume starts it again in the same folder with the same settings. Kernel memory is gone.')
  ],
  'idle_timeout.stop': (trans, f, a) => [
    trans.__('Stopped: idle for %1 (idle timeout of %2). No %3.', f.duration(a.span), f.policy(a.policy), f.signals(a.signals)),
    trans.__('Resume starts it again in the same folder with the same settings. Kernel memory is gone.')
  ],
  'idle_timeout.suspend': (trans, f, a) => [
    trans.__('Suspended: idle for %1 (idle timeout of %2). No %3.', f.duration(a.span), f.policy(a.policy), f.signals(a.signals)),
    trans.__('Resume starts it again in the same folder with the same settings. Kernel memory is gone.')
  ],
  'lifetime.end': (trans, f, a) => [
    trans.__('Stopped after %1: maximum run time of %2 reached.', f.duration(a.lived), f.policy(a.policy)),
    trans.__('Resume starts it again in the same folder with the same settings. Kernel memory is gone.')
  ],
  'request.mount': (trans, f, a) => [
    trans.__('Stopped on request, to restart with the volumes %1.', f.and(a.volumes))
  ],
  'request.resize': (trans, f, a) => [
    trans.__('Stopped on request, to restart with %1.', f.share(a.share))
  ],
  'request.stop': (trans) => [
    trans.__('Stopped on request.')
  ],
  'request.stop.who': (trans, _f, a) => [
    trans.__('Stopped by %1.', a.who)
  ],
  'request.stop.who.why': (trans, _f, a) => [
    trans.__('Stopped by %1: %2', a.who, a.why)
  ],
  'request.stop.why': (trans, _f, a) => [
    trans.__('Stopped on request: %1', a.why)
  ],
  'request.suspend': (trans) => [
    trans.__('Suspended on request.'),
    trans.__('Resume starts it again.')
  ],
  'request.suspend.who': (trans, _f, a) => [
    trans.__('Suspended by %1.', a.who),
    trans.__('Resume starts it again.')
  ],
  'request.suspend.who.why': (trans, _f, a) => [
    trans.__('Suspended by %1: %2', a.who, a.why),
    trans.__('Resume starts it again.')
  ],
  'request.suspend.why': (trans, _f, a) => [
    trans.__('Suspended on request: %1', a.why),
    trans.__('Resume starts it again.')
  ]
};
