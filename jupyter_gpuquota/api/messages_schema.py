"""Write the catalog of messages for the front end: `labextension/src/api/messages/`.

Every text is a literal argument of `trans.__` or `trans._n` there, because the extraction of texts
for translation requires it. `api/schema.py` writes and checks the file with the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ..model.messages.catalog import SUBJECTS
from ..model.messages.formats import NUMBERS, TEXTS
from ..model.messages.templates import Template, Text, parts

_LIKE_ARGUMENT = re.compile(r"%\d")
_HEAD = """\
// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

"""
_TYPES = """\
import type { TranslationBundle } from '@jupyterlab/translation';

export type Value = string | number;

/** The arguments of a message, as they travel. */
export type Args = { readonly [name: string]: Value };

/** How values are written in the user's language: `model/messages/formats.py` has the English. */
export interface IFormats {
"""
_TEXTS = """\
}

/** Functions by key that return a message and its hint in the user's language. */
export type Texts = {
  readonly [key: string]: (
    trans: TranslationBundle,
    f: IFormats,
    a: Args
  ) => readonly [message: string, hint?: string];
};
"""
_TRANSLATED = """\
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
"""


def messages_ts() -> dict[str, str]:
    """Return the text of each module: one per subject, their types and their index."""
    modules = {f"{subject}.ts": _subject(subject, SUBJECTS[subject]) for subject in SUBJECTS}
    return {**modules, "types.ts": _types(), "index.ts": _index()}


def _types() -> str:
    kinds = sorted({*NUMBERS, *TEXTS} - {"text"})
    formats = "".join(f"  {kind}(value: Value): string;\n" for kind in kinds)
    return _HEAD + _TYPES + formats + _TEXTS


def _index() -> str:
    subjects = sorted(SUBJECTS)
    imports = [
        "import type { TranslationBundle } from '@jupyterlab/translation';\n",
        *(f"import {{ {subject} }} from './{subject}';\n" for subject in subjects),
        "import type { Args, IFormats, Texts } from './types';\n\n",
        "export type { Args, IFormats, Value } from './types';\n\n",
    ]
    spread = ",\n".join(f"  ...{subject}" for subject in subjects)
    return f"{_HEAD}{''.join(imports)}const texts: Texts = {{\n{spread}\n{_TRANSLATED}"


def _subject(name: str, texts: Mapping[str, Text]) -> str:
    entries = ",\n".join(_entry(key, texts[key]) for key in sorted(texts))
    types = "import type { Texts } from './types';\n\n"
    return f"{_HEAD}{types}export const {name}: Texts = {{\n{entries}\n}};\n"


def _entry(key: str, text: Text) -> str:
    body = ",\n".join(f"    {_call(each)}" for each in (text.message, text.hint) if each)
    # The compiler refuses an unused parameter unless its name begins with an underscore.
    formats = "f" if re.search(r"\bf\.\w+\(", body) else "_f"
    arguments = f"trans, {formats}, a" if text.names else "trans"
    return f"  {_literal(key)}: ({arguments}) => [\n{body}\n  ]"


def _call(template: Template) -> str:
    """Return the call that translates a template."""
    if isinstance(template, str):
        values: list[str] = []
        return f"trans.__({', '.join([_numbered(template, values), *values])})"
    # Gettext counts by %1; values follow.
    values = [f"Number(a.{template.count})"]
    words = [_numbered(each, values) for each in (template.one, template.many)]
    return f"trans._n({', '.join([*words, *values])})"


def _numbered(template: str, values: list[str]) -> str:
    """Return a template as a literal with %1, %2, …; what they stand for is added to the values."""
    written = []
    for literal, name, kind in parts(template):
        if _LIKE_ARGUMENT.search(literal):
            raise ValueError(f"{template!r} has a % before a digit, which gettext would replace")
        written.append(literal)
        if name:
            value = _value(name, kind)
            if f"Number(a.{name})" in values[:1] and kind == "count":
                value = values[0]
            if value not in values:
                values.append(value)
            written.append(f"%{values.index(value) + 1}")
    return _literal("".join(written))


def _value(name: str, kind: str) -> str:
    return f"a.{name}" if kind == "text" else f"f.{kind}(a.{name})"


def _literal(text: str) -> str:
    if "'" in text:
        return json.dumps(text, ensure_ascii=False)
    return "'" + text.replace("\\", "\\\\") + "'"
