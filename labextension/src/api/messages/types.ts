// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { TranslationBundle } from '@jupyterlab/translation';

export type Value = string | number;

/** The arguments of a message, as they travel. */
export type Args = { readonly [name: string]: Value };

/** How values are written in the user's language: `model/messages/formats.py` has the English. */
export interface IFormats {
  amount(value: Value): string;
  and(value: Value): string;
  bytes(value: Value): string;
  count(value: Value): string;
  duration(value: Value): string;
  gpus(value: Value): string;
  holders(value: Value): string;
  memory(value: Value): string;
  or(value: Value): string;
  place(value: Value): string;
  policy(value: Value): string;
  sessions(value: Value): string;
  share(value: Value): string;
  signals(value: Value): string;
  time(value: Value): string;
}

/** Functions by key that return a message and its hint in the user's language. */
export type Texts = {
  readonly [key: string]: (
    trans: TranslationBundle,
    f: IFormats,
    a: Args
  ) => readonly [message: string, hint?: string];
};
