// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const fallback: Texts = {
  'fallback.alone': (trans) => [
    trans.__('It needs a list of places.'),
    trans.__('Name clusters or templates: --on A,B.')
  ],
  'fallback.away': (trans, _f, a) => [
    trans.__('It goes on to %1 once that can be reached.', a.next)
  ],
  'fallback.moving': (trans, _f, a) => [
    trans.__('Moves to %1.', a.cluster),
    trans.__('Starts there when GPUs are free.')
  ],
  'fallback.refused': (trans, _f, a) => [
    trans.__('No place takes it: %1', a.why),
    trans.__('Correct the request, and launch it again.')
  ],
  'fallback.stopped': (trans, _f, a) => [
    trans.__('Stopped while it moved to %1.', a.cluster)
  ],
  'fallback.until': (trans, f, a) => [
    trans.__('If it has not started by %1, it goes on to %2.', f.time(a.at), a.next)
  ],
  'fallback.wait': (trans) => [
    trans.__('Use a time of at least 10 seconds, such as 10m.')
  ],
  'place.closed': (trans, _f, a) => [
    trans.__('You may not launch in any project of %1.', a.cluster),
    trans.__('Ask an administrator of that cluster.')
  ],
  'place.most': (trans, f, a) => [
    trans.__('Use at most %1 places, not %2.', f.count(a.most), f.count(a.count))
  ],
  'place.not_withdrawn': (trans, _f, a) => [
    trans.__('A command that is queued in %1 cannot be taken back: it may start at any moment.', a.cluster),
    trans.__('Put it last.')
  ],
  'place.unknown': (trans, f, a) => [
    trans.__('No cluster or template is named %1.', a.name),
    trans.__('Known: %1.', f.and(a.known))
  ],
  'place.unknown.none': (trans, _f, a) => [
    trans.__('No cluster or template is named %1.', a.name)
  ],
  'place.unnamed': (trans) => [
    trans.__('A name is missing.'),
    trans.__('Name a cluster or a template.')
  ]
};
