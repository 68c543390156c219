// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const changes: Texts = {
  'cache.evicts': (trans, f, a) => [
    trans._n('%1 cached version would go now (%2).', '%1 cached versions would go now (%2).', Number(a.count), f.bytes(a.size))
  ],
  'cache.same': (trans) => [
    trans.__('No cached version would go now.')
  ],
  'change.count.delayed': (trans, _f, a) => [
    trans._n('%1 session would be queued instead of starting.', '%1 sessions would be queued instead of starting.', Number(a.n))
  ],
  'change.count.ends': (trans, _f, a) => [
    trans._n('%1 session would be stopped.', '%1 sessions would be stopped.', Number(a.n))
  ],
  'change.count.keeps': (trans, _f, a) => [
    trans._n('%1 session would keep its GPUs.', '%1 sessions would keep their GPUs.', Number(a.n))
  ],
  'change.count.reclaimed': (trans, _f, a) => [
    trans._n('%1 session would be preempted and requeued.', '%1 sessions would be preempted and requeued.', Number(a.n))
  ],
  'change.count.starts': (trans, _f, a) => [
    trans._n('%1 session would start.', '%1 sessions would start.', Number(a.n))
  ],
  'change.count.waits': (trans, _f, a) => [
    trans._n('%1 session would be queued for another reason.', '%1 sessions would be queued for another reason.', Number(a.n))
  ],
  'change.fair_share': (trans, f, a) => [
    trans.__("%1's fair share: %2 → %3.", a.project, f.amount(a.before), f.gpus(a.after))
  ],
  'change.none': (trans) => [
    trans.__('No immediate effect on current sessions.')
  ],
  'change.session.delayed': (trans, _f, a) => [
    trans.__('%1 (%2) would be queued instead of starting.', a.session, a.project)
  ],
  'change.session.ends': (trans, _f, a) => [
    trans.__('%1 (%2) would be stopped: its maximum run time is over.', a.session, a.project)
  ],
  'change.session.keeps': (trans, f, a) => [
    trans.__('%1 (%2) would stay on %3.', a.session, a.project, f.place(a.place))
  ],
  'change.session.reclaimed': (trans, _f, a) => [
    trans.__('%1 (%2) would be preempted and requeued.', a.session, a.project)
  ],
  'change.session.starts': (trans, f, a) => [
    trans.__('%1 (%2) would start on %3.', a.session, a.project, f.place(a.place))
  ],
  'change.session.waits': (trans, _f, a) => [
    trans.__('%1 (%2) would be queued for another reason.', a.session, a.project)
  ],
  'lakes.orphaned': (trans, f, a) => [
    trans.__('Not in a lake any more: %1.', f.and(a.datasets))
  ],
  'past.idle.none': (trans) => [
    trans.__('No activity is recorded yet.')
  ],
  'past.idle.part': (trans, f, a) => [
    trans._n('It would have ended %1 idle session in the last %2 (no earlier activity is recorded).', 'It would have ended %1 idle sessions in the last %2 (no earlier activity is recorded).', Number(a.n), f.duration(a.span))
  ],
  'past.idle.week': (trans, _f, a) => [
    trans._n('It would have ended %1 idle session in the last 7 days.', 'It would have ended %1 idle sessions in the last 7 days.', Number(a.n))
  ]
};
