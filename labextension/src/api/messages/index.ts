// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { TranslationBundle } from '@jupyterlab/translation';
import { admin } from './admin';
import { audit } from './audit';
import { changes } from './changes';
import { endings } from './endings';
import { exits } from './exits';
import { fallback } from './fallback';
import { fields } from './fields';
import { previews } from './previews';
import { progress } from './progress';
import { reasons } from './reasons';
import { sessions } from './sessions';
import { shares } from './shares';
import type { Args, IFormats, Texts } from './types';

export type { Args, IFormats, Value } from './types';

const texts: Texts = {
  ...admin,
  ...audit,
  ...changes,
  ...endings,
  ...exits,
  ...fallback,
  ...fields,
  ...previews,
  ...progress,
  ...reasons,
  ...sessions,
  ...shares
};

/** A message in the user's language. */
export type Text = { readonly message: string; readonly hint: string };

/** Return a message in the user's language; undefined for a key of a newer version. */
export function translated(
  trans: TranslationBundle,
  formats: IFormats,
  key: string,
  args: Args
): Text | undefined {
  if (!Object.hasOwn(texts, key)) {
    return undefined;
  }
  const [message, hint = ''] = texts[key](trans, formats, args);
  return { message, hint };
}
