// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const exits: Texts = {
  'exit.command': (trans, _f, a) => [
    trans.__('The command exited with code %1.', a.status),
    trans.__('Check the log.')
  ],
  'exit.device_lost': (trans, f, a) => [
    trans.__('The driver no longer responds for GPU %1.', f.and(a.devices)),
    trans.__('Save your work, stop the session, and tell an administrator.')
  ],
  'exit.evicted': (trans, _f, a) => [
    trans.__('Evicted from node %1.', a.node),
    trans.__('It is requeued and restarts automatically.')
  ],
  'exit.gpu_memory': (trans, f, a) => [
    trans.__('Ran out of GPU memory at %1.', f.time(a.at)),
    trans.__('Request a larger share, or use less, for example in smaller batches.')
  ],
  'exit.killed': (trans, _f, a) => [
    trans.__('Killed by %1.', a.signal)
  ],
  'exit.memory': (trans, f, a) => [
    trans.__('Ran out of memory at %1: it used more than its limit.', f.time(a.at)),
    trans.__('Request more memory.')
  ],
  'exit.node_lost': (trans, _f, a) => [
    trans.__('Node %1 no longer responds.', a.node),
    trans.__('It is requeued and restarts automatically.')
  ],
  'exit.process': (trans, _f, a) => [
    trans.__('Process %1 of %2 exited with code %3, so all were stopped.', a.process, a.count, a.status),
    trans.__('Check the log.')
  ],
  'exit.reboot': (trans) => [
    trans.__('The machine restarted while the session was running.'),
    trans.__('Resume starts it again.')
  ],
  'exit.sigkill': (trans) => [
    trans.__('Killed by SIGKILL.'),
    trans.__('The machine may have run out of memory.')
  ],
  'exit.unknown': (trans) => [
    trans.__('The process is gone; its exit code is unknown.'),
    trans.__('Check the log.')
  ],
  'start.command': (trans, _f, a) => [
    trans.__('Could not start: %1.', a.detail),
    trans.__("Check the session's PATH.")
  ],
  'start.failed': (trans, _f, a) => [
    trans.__('Could not start: %1', a.detail),
    trans.__('Resume tries again.')
  ],
  'start.open': (trans) => [
    trans.__('The Jupyter Server lets in users without a token: its configuration sets an identity provider.'),
    trans.__('Remove that from the configuration, or the option --config.')
  ],
  'start.server': (trans, _f, a) => [
    trans.__('The Jupyter Server exited with code %1 before it was ready.', a.status),
    trans.__('Check the log.')
  ],
  'start.shim_timeout': (trans, f, a) => [
    trans.__('Its shim did not respond within %1.', f.duration(a.limit))
  ],
  'start.timeout': (trans, f, a) => [
    trans.__('Not ready within %1.', f.duration(a.limit)),
    trans.__('Check the log, or raise start_timeout in the configuration.')
  ],
  'start.token_refused': (trans) => [
    trans.__("The Jupyter Server refuses the session's token: its configuration sets a token, an identity provider or an authorizer."),
    trans.__('Remove that from the configuration, or the option --config.')
  ]
};
