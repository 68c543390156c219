// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const audit: Texts = {
  'audit.no_place': (trans, _f, a) => [
    trans.__('ended the session %1 of %2: no place takes it; %3 refused it: %4', a.session, a.owner, a.place, a.why)
  ],
  'audit.refused': (trans, _f, a) => [
    trans.__('moved the session %1 of %2 from %3 to %4 (%5): %3 refused it: %6', a.session, a.owner, a.place, a.next, a.project, a.why)
  ],
  'audit.went_on': (trans, f, a) => [
    trans.__('moved the session %1 of %2 from %3 to %4 (%5): it had not started after %6', a.session, a.owner, a.place, a.next, a.project, f.duration(a.span))
  ]
};
