import { TranslationBundle } from '@jupyterlab/translation';
import { Share } from '../api/models';
import { gpus, shareText } from './texts';

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
