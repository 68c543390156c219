"""Reads and tags the runs of a session where it runs, with what it runs with.

    python3 -I -c SCRIPT '{"session": ID, "limit": N}'
    python3 -I -c SCRIPT '{"run": ID, "tags": {NAME: VALUE}}'

It prints one JSON document. Standard library only, and the syntax of Python 3.8: it is carried into
sessions. The store is the one that MLflow would use there: `MLFLOW_TRACKING_URI`, a server or an
SQLite file, else an SQLite file in the session's folder. Tables are those of MLflow 1 to 3
(mlflow/store/tracking/dbmodels/models.py), requests those of its REST API.
"""

from __future__ import annotations

import base64
import json
import math
import os
import sqlite3
import ssl
import sys
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

STORES = ("mlflow.db", "mlruns.db", "mlruns/mlflow.db")
"""Where a store is looked for in a session's folder; MLflow makes the first one."""
OWN = "gpuquota.session"
_GPU = ("system/gpu_", "_utilization_percentage")
_DATA = "gpuquota.data."
_NAMED = 50
_PATIENCE = 10.0
_UTC = timezone.utc  # noqa: UP017 (Python 3.8 in sessions)


class Database:
    """An SQLite store; `own`: it is in the session's folder, so that its runs are the session's."""

    def __init__(self, path: str) -> None:
        self.own = os.path.realpath(path).startswith(os.path.realpath(os.curdir) + os.sep)
        self.shown = os.path.relpath(path) if self.own else path
        self._path = path

    def runs(self, session: str, limit: int) -> list[dict[str, Any]]:
        """Return the newest runs."""
        found = self._rows(
            "SELECT r.run_uuid, r.name, r.status, r.start_time, r.end_time, r.artifact_uri, e.name"
            " FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id"
            " LEFT JOIN tags t ON t.run_uuid = r.run_uuid AND t.key = ?"
            " WHERE r.lifecycle_stage = 'active' AND (t.value = ? OR (t.value IS NULL AND ?))"
            " ORDER BY r.start_time DESC, r.rowid DESC LIMIT ?",
            (OWN, session, self.own, limit),
        )
        return [self._run(row) for row in found]

    def tag(self, run: str, tags: dict[str, str]) -> None:
        """Set tags of a run."""
        database = sqlite3.connect(self._address("rw"), uri=True, timeout=_PATIENCE)
        try:
            with database:
                for name, value in tags.items():
                    database.execute(
                        "INSERT OR REPLACE INTO tags (key, value, run_uuid) VALUES (?, ?, ?)",
                        (name, value[:5000], run),
                    )
        finally:
            database.close()

    def _run(self, row: tuple[Any, ...]) -> dict[str, Any]:
        run, name, status, begun, ended, place, experiment = row
        every = self._rows("SELECT key, value FROM tags WHERE run_uuid = ?", (run,))
        metrics = self._rows(
            "SELECT key, value FROM latest_metrics WHERE run_uuid = ? AND is_nan = 0", (run,)
        )
        gpu = self._rows(
            "SELECT avg(value) FROM metrics WHERE run_uuid = ? AND is_nan = 0 AND key LIKE ?",
            (run, "%".join(_GPU)),
        )
        params = self._rows("SELECT key, value FROM params WHERE run_uuid = ?", (run,))
        return shown(
            {"run_id": run, "run_name": name, "status": status, "experiment": experiment},
            (begun, ended, place),
            (dict(params), dict(metrics), dict(every), dict(self._inputs(run))),
            gpu[0][0],
            listed(place),
        )

    def _inputs(self, run: str) -> list[tuple[Any, ...]]:
        try:
            return self._rows(
                "SELECT d.name, coalesce((SELECT t.value FROM input_tags t WHERE"
                " t.input_uuid = i.input_uuid AND t.name = 'gpuquota.version'), d.digest)"
                " FROM inputs i JOIN datasets d ON d.dataset_uuid = i.source_id"
                " WHERE i.destination_type = 'RUN' AND i.destination_id = ?",
                (run,),
            )
        except sqlite3.OperationalError:
            return []  # MLflow 1 has no inputs

    def _rows(self, query: str, args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        database = sqlite3.connect(self._address("ro"), uri=True, timeout=_PATIENCE)
        try:
            return database.execute(query, args).fetchall()
        finally:
            database.close()

    def _address(self, mode: str) -> str:
        return f"file:{urllib.parse.quote(str(Path(self._path).resolve()))}?mode={mode}"


class Unmoved(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: it would take the credentials along."""

    def redirect_request(self, *_args: Any) -> None:
        """Return None: the answer itself counts."""


class Server:
    """A tracking server; runs of the session are those with its tag."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        self.shown = urllib.parse.urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        user = os.environ.get("MLFLOW_TRACKING_USERNAME") or parts.username
        password = os.environ.get("MLFLOW_TRACKING_PASSWORD") or parts.password
        token = os.environ.get("MLFLOW_TRACKING_TOKEN")
        self._headers = {"Content-Type": "application/json"}
        if user:
            both = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
            self._headers["Authorization"] = f"Basic {both}"
        elif token:
            self._headers["Authorization"] = f"Bearer {token}"
        authority = os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH")
        trust = ssl.create_default_context(cafile=authority)
        if os.environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() in ("1", "true"):
            trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        https = urllib.request.HTTPSHandler(context=trust)
        self._opener = urllib.request.build_opener(https, Unmoved())

    def runs(self, session: str, limit: int) -> list[dict[str, Any]]:
        """Return the newest runs."""
        known = self._call("experiments/search", {"max_results": 1000}).get("experiments", [])
        names = {each["experiment_id"]: each["name"] for each in known}
        asked = {
            "experiment_ids": list(names),
            "filter": f"tags.`{OWN}` = '{session}'",
            "order_by": ["attributes.start_time DESC"],
            "max_results": limit,
        }
        found = self._call("runs/search", asked).get("runs", []) if names else []
        return [self._run(each, names) for each in found]

    def tag(self, run: str, tags: dict[str, str]) -> None:
        """Set tags of a run."""
        for name, value in tags.items():
            self._call("runs/set-tag", {"run_id": run, "key": name, "value": value[:5000]})

    def _run(self, found: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        info, data = found["info"], found.get("data", {})
        inputs = found.get("inputs", {}).get("dataset_inputs", [])
        metrics = {
            each["key"]: float(each["value"])
            for each in data.get("metrics", [])
            if isinstance(each.get("value"), (int, float))
        }
        facts = {**info, "experiment": names.get(info["experiment_id"], "")}
        moments = (info.get("start_time"), info.get("end_time"), info.get("artifact_uri"))
        values = (
            _pairs(data.get("params")),
            metrics,
            _pairs(data.get("tags")),
            {each["dataset"]["name"]: _version(each) for each in inputs},
        )
        gpu = [self._mean(info["run_id"], name) for name in metrics if is_gpu(name)]
        files = self._get("artifacts/list", {"run_id": info["run_id"]}).get("files", [])
        mean = sum(gpu) / len(gpu) if gpu else None
        return shown(facts, moments, values, mean, [each["path"] for each in files])

    def _mean(self, run: str, metric: str) -> float:
        asked = {"run_id": run, "metric_key": metric}
        values = self._get("metrics/get-history", asked).get("metrics", [])
        return sum(float(each["value"]) for each in values) / max(len(values), 1)

    def _get(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        return self._call(f"{path}?{urllib.parse.urlencode(query)}", None)

    def _call(self, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        url = f"{self.shown}/api/2.0/mlflow/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, self._headers)  # noqa: S310 (http or https)
        with self._opener.open(request, timeout=_PATIENCE) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found


def shown(
    facts: dict[str, Any],
    moments: tuple[Any, ...],
    values: tuple[dict[str, Any], ...],
    gpu: float | None,
    artifacts: list[str],
) -> dict[str, Any]:
    """Return a run as it is sent."""
    begun, ended, place = moments
    params, metrics, tags, inputs = values
    launched = {name[len(_DATA) :]: value for name, value in tags.items() if name.startswith(_DATA)}
    source = tags.get("mlflow.source.name", "")
    relative = os.path.relpath(source) if source.startswith("/") else source
    return {
        "id": facts["run_id"],
        "name": facts.get("run_name") or tags.get("mlflow.runName", ""),
        "experiment": facts.get("experiment") or "",
        "status": facts.get("status") or "",
        "begun": _moment(begun),
        "ended": _moment(ended),
        "source": source if relative.startswith("..") else relative,
        "commit": tags.get("mlflow.source.git.commit", ""),
        "params": {name: str(value) for name, value in sorted(params.items())},
        "metrics": {
            name: float(value)
            for name, value in sorted(metrics.items())
            if math.isfinite(value) and not is_gpu(name)
        },
        "gpu": gpu,
        "data": {**launched, **inputs},
        "artifacts": artifacts[:_NAMED],
        "place": place or "",
        "snapshot": tags.get("gpuquota.snapshot", ""),
    }


def is_gpu(name: str) -> bool:
    """Return whether a metric is the utilisation of a GPU."""
    return name.startswith(_GPU[0]) and name.endswith(_GPU[1])


def listed(place: str | None) -> list[str]:
    """Return the names in a folder of artifacts, none for one that is elsewhere."""
    path = urllib.parse.unquote((place or "").replace("file://", "", 1))
    try:
        return sorted(each.name for each in Path(path).iterdir()) if path.startswith("/") else []
    except OSError:
        return []


def _moment(milliseconds: Any) -> str | None:
    if not milliseconds:
        return None
    return datetime.fromtimestamp(int(milliseconds) / 1000, _UTC).isoformat()


def _pairs(items: Any) -> dict[str, str]:
    return {each["key"]: each.get("value", "") for each in items or []}


def _version(found: dict[str, Any]) -> str:
    tags: dict[str, str] = _pairs(found.get("tags"))
    return tags.get("gpuquota.version") or str(found["dataset"].get("digest", ""))


def store() -> Any:
    """Return the store that MLflow would use here, None without one. Raises ValueError."""
    uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    if uri.startswith(("http://", "https://")):
        return Server(uri)
    if uri.startswith("sqlite:///"):
        return Database(urllib.parse.unquote(uri[len("sqlite:///") :]))
    if uri:
        raise ValueError("MLFLOW_TRACKING_URI is no server and no SQLite file")
    return next((Database(path) for path in STORES if Path(path).is_file()), None)


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is sent for a request."""
    where = ""
    try:
        found = store()
        if found is None:
            return {}
        where = found.shown
        if "run" in asked:
            found.tag(asked["run"], asked["tags"])
            return {"store": where}
        return {"store": where, "items": found.runs(asked["session"], asked["limit"])}
    except (OSError, ValueError, KeyError, RecursionError, sqlite3.Error) as error:
        return {"store": where, "problem": f"Runs cannot be read: {error}."}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(json.loads(sys.argv[1]))))
