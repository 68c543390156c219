import { makeSession } from './builders';

/** The answer to a preview of a request that fits. */
export const FITS = {
  verdict: 'fits',
  message: 'Fits now on dgx1-2 GPU 3.',
  reason: null,
  placement: null,
  isolation: makeSession().isolation,
  problems: []
};
