"""Write the front end's types: `python -m jupyter_gpuquota.api.schema [--check]`.

`labextension/src/api/models.ts` is made from the types of the route table by
json-schema-to-typescript, a development dependency of the front end; `routes.ts` is the table
itself, `messages/` the catalog of messages, one module per subject. All are committed; `--check`
changes nothing and fails where they differ.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ..model.routes.table import Route
from .json_schema import PUBLIC, components, name_of, types_of, words_of
from .messages_schema import messages_ts

LABEXTENSION = Path(__file__).resolve().parents[2] / "labextension"
_HEAD = (
    "/* eslint-disable @typescript-eslint/naming-convention */\n"
    "// Written by `python -m jupyter_gpuquota.api.schema`: change the Python model instead.\n\n"
)
_NOTE = re.compile(
    r"/\*\*\n \* This interface was referenced by .*\n \* via the .*\n \*/\n"
    r"|\n? \*\n \* This interface was referenced by .*\n \* via the .*"
)
"""The compiler's note on definitions that the empty root does not reach."""

_COMPILE = """
const { compile } = require('json-schema-to-typescript');
const chunks = [];
process.stdin.on('data', chunk => chunks.push(chunk)).on('end', async () => {
  const { schema, options } = JSON.parse(Buffer.concat(chunks).toString());
  process.stdout.write(await compile(schema, 'Wire', options));
});
"""
_OPTIONS = {
    "bannerComment": "",
    "unreachableDefinitions": True,
    "additionalProperties": False,
    "style": {
        "printWidth": 80,
        "singleQuote": True,
        "arrowParens": "avoid",
        "trailingComma": "none",
    },
}


def models_ts() -> str:
    """Return the text of models.ts; needs Node and the front end's `node_modules`."""
    definitions = components(PUBLIC, "#/definitions/")
    for name, schema in definitions.items():
        schema["title"] = name
        if words := words_of(schema):
            # The last part keeps editors proposing the known words beside any other text.
            del schema["description"]
            schema["tsType"] = " | ".join([*map(repr, words), "(string & {})"])
    # An empty root, so that the compiler prints the definitions and nothing besides them.
    root = {"title": "Wire", "type": "object", "properties": {}, "definitions": definitions}
    done = subprocess.run(
        [_node(), "--eval", _COMPILE],
        input=json.dumps({"schema": root, "options": _OPTIONS}),
        cwd=LABEXTENSION,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"json-schema-to-typescript failed:\n{done.stderr}")
    text = re.sub(r"export interface Wire \{\}\n+", "", done.stdout)
    text = _NOTE.sub("", text)
    return _HEAD + text.lstrip()


def routes_ts() -> str:
    """Return the text of routes.ts: the routes whose answer is one document."""
    found = tuple(row for row in PUBLIC if not row.streams)
    names = sorted({name_of(t) for t in types_of(found)} - {"Problem", "Change"})
    imports = ",\n".join(f"  {name}" for name in names)
    rows = ",\n\n".join(_row(row) for row in found)
    return (
        f"{_HEAD}import type {{\n{imports}\n}} from './models';\n\n{_ROUTE_TYPE}"
        f"/** The REST interface; paths are relative to `<base_url>gpuquota/api`. */\n"
        f"export const routes = {{\n{rows}\n}};\n\n{_nouns(found)}"
    )


_ROUTE_TYPE = """/**
 * One route.
 *
 * `Args` are the parts of the path in braces, `Query` and `Body` what it takes; all are
 * `undefined` where there are none. `noun` names what the response is a view of, empty if
 * it has no revision.
 */
export type Route<Args, Query, Body, Response> = {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly noun: string;
  /** Never set: it carries the types. */
  readonly types?: {
    args: Args;
    query: Query;
    body: Body;
    response: Response;
  };
};

"""


_NOUNS = """/** The document that each noun is read as. */
export type Nouns = {{
{types}
}};

/** The route that reads each noun. */
export const nouns: {{
  readonly [Noun in keyof Nouns]: Route<
    undefined,
    unknown,
    undefined,
    Nouns[Noun]
  >;
}} = {{
{rows}
}};
"""


def _nouns(rows: tuple[Route, ...]) -> str:
    """Return which nouns can be read as a whole, each with its model and its route.

    The name of a route is usually that of its noun, as in `quota.get`; a view of its own, as
    `nodes.gpus`, is named for what it is.
    """
    found = {
        noun if verb in ("get", "list") else row.noun: row
        for row in rows
        for noun, verb in [row.name.split(".")]
        if row.method == "GET" and "{" not in row.path
        if verb in ("get", "list") or row.noun == verb
    }
    return _NOUNS.format(
        types="\n".join(f"  {noun}: {name_of(row.response)};" for noun, row in found.items()),
        rows=",\n".join(f"  {noun}: routes.{_camel(row)}" for noun, row in found.items()),
    )


def _row(row: Route) -> str:
    args = re.findall(r"\{(\w+)\}", row.path)
    types = [
        "{ " + "; ".join(f"{arg}: string" for arg in args) + " }" if args else "undefined",
        *(name_of(t) if t else "undefined" for t in (row.query, row.request, row.response)),
    ]
    return (
        f"  /** {row.summary}. */\n"
        f"  {_camel(row)}: {{\n"
        f"    name: '{row.name}',\n"
        f"    method: '{row.method}',\n"
        f"    path: '{row.path}',\n"
        f"    noun: '{row.noun}'\n"
        f"  }} as Route<{', '.join(types)}>"
    )


def _camel(row: Route) -> str:
    """Return a route's name in TypeScript: `sessions.keep_alive` is `sessionsKeepAlive`."""
    noun, verb = row.name.split(".")
    return noun + "".join(word.capitalize() for word in verb.split("_"))


def _node() -> str:
    found = shutil.which("node")
    if not found or not (LABEXTENSION / "node_modules" / "json-schema-to-typescript").is_dir():
        raise SystemExit("This needs Node and the front end's node_modules: run `make setup`.")
    return found


def _modules() -> dict[Path, str]:
    """Return the text of each module by its path."""
    api = LABEXTENSION / "src" / "api"
    messages = {api / "messages" / name: text for name, text in messages_ts().items()}
    return {api / "models.ts": models_ts(), api / "routes.ts": routes_ts(), **messages}


def main() -> None:
    """Write the files, or with `--check` say which differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    check = parser.parse_args().check
    stale = []
    for path, text in _modules().items():
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale.append(str(path.relative_to(LABEXTENSION.parent)))
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    if stale and check:
        raise SystemExit(
            f"Out of date: {', '.join(stale)}. Run `python -m jupyter_gpuquota.api.schema`."
        )
    sys.stdout.write(f"wrote {', '.join(stale)}\n" if stale else "up to date\n")


if __name__ == "__main__":
    main()
