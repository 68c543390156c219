import { TranslationBundle } from '@jupyterlab/translation';
import { Session, Share } from '../api/models';
import { lifeText } from '../state/notices';
import { clockText, gpus, shareText } from './texts';

/** Say a share in the server's words, beside which it stands: `0.25 GPU`, not `¼ GPU`. */
export function plainShare(trans: TranslationBundle, share: Share): string {
  if (!share.milli) {
    return shareText(trans, share);
  }
  const text = trans._n(
    '%2 GPU',
    '%2 GPUs',
    share.milli > 1000 ? 2 : 1,
    gpus(share.milli)
  );
  return share.compute
    ? trans.__('%1, %2 % compute', text, share.compute)
    : text;
}

/** Say when and why a running session will be stopped; empty where nothing bounds it. */
export function endsText(trans: TranslationBundle, session: Session): string {
  const { ends, spec, state } = session;
  return ends && state === 'running'
    ? trans.__('Stops at %1: %2', clockText(ends), lifeText(trans, spec))
    : '';
}
