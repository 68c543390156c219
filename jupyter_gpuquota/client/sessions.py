"""Sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from msgspec import structs

from ..errors import FieldError, NotFound, refused
from ..model.clusters.names import cluster_of
from ..model.previews import Preview
from ..model.rightsizing import Advice
from ..model.sessions import Framework, Kind, Session, SessionQuery, SessionRequest
from ..model.struct import Number, Page
from ..model.templates import Template, TemplateFields, TemplateList
from . import urls
from .connection.context import Context
from .data.transfers import fetch_own
from .lifecycle import Lifecycle, settled
from .listing import Listing
from .logs import Logs
from .programs import Programs, as_words
from .session import SESSIONS, ClientSession, with_url

_NUMBERS = (
    "gpu",
    "gpu_memory",
    "gpu_compute",
    "idle_timeout",
    "cpu",
    "cpu_limit",
    "memory",
    "memory_limit",
    "run_as",
    "on_wait",
)
"""Fields that are numbers as users write them."""


class Wishes(TypedDict, total=False):
    """The fields of `SessionRequest` that may be set."""

    project: str
    kind: Kind
    gpu: Number
    gpu_memory: Number
    gpu_compute: Number
    mig_profile: str
    environment: str
    folder: str
    command: Sequence[str]
    args: Sequence[str]
    env: Mapping[str, str]
    ports: Sequence[int]
    priority: int
    node_type: str
    idle_timeout: Number
    stop_when_idle: bool
    processes: int
    framework: Framework
    data: Sequence[str]
    cpu: Number
    cpu_limit: Number
    memory: Number
    memory_limit: Number
    large_shm: bool
    tolerations: Sequence[str]
    pull_secrets: Sequence[str]
    pull_policy: str
    service_account: str
    run_as: Number
    secret_env: Mapping[str, str]
    volumes: Sequence[str]
    on: Sequence[str]
    on_wait: Number
    template: str
    like: str


_SHARE = ("gpu", "gpu_memory", "gpu_compute", "mig_profile")
_ADDED = ("env", "secret_env")
"""Fields that are added to those of a template, by name, instead of replacing them."""


class Sessions(Lifecycle, Logs, Programs):
    """Launch, see and end sessions. `name` is an id, a name, or `project/name`."""

    def submit(self, name: str, *, wait: bool = False, **wishes: Unpack[Wishes]) -> ClientSession:
        """Launch a session.

        For example `gpu=0.5` or `gpu=2`, or `gpu_memory="8Gi"`, or `mig_profile`; none of them for
        CPUs only. Without a `command` it is a Jupyter Server. `idle_timeout="2h"` requests an idle
        timeout of its own, within the policy. `data=["faces@v1"]` names versions of datasets: it
        starts once they are cached, and finds them by name in the folder $GPUQUOTA_DATASETS;
        `faces@v1:/train` also at that path, below its folder on this machine. Where sessions are
        containers, the fields from `cpu` on are their options: `memory="16Gi"`,
        `volumes=["data:/data:ro"]`. `template` names one from which everything is taken that is not
        given here, `like` a session, running or ended; `env` is added to its own. Where there are
        several clusters, `on=["lab", "cloud"]` names clusters or templates in the order in which
        they are tried, each for the time `on_wait="10m"`. With `wait` the
        call returns when the session runs or has ended: see `state` and `reason`. Interrupting the
        wait does not end the session.

        Raises InvalidFields with all invalid fields, NameTaken.
        """
        request = _request(self._context, name, wishes)
        session: Session = self._context.call("sessions.create", body=request)
        fetch_own(self._context, session)
        return settled(self._context, session) if wait else with_url(self._context, session)

    def preview(self, name: str, **wishes: Unpack[Wishes]) -> Preview:
        """Preview the same request of `submit`: whether it would start, and why not."""
        request = _request(self._context, name, wishes)
        answer: Preview = self._context.call("sessions.preview", body=request)
        return answer

    def list(
        self, *, project: str = "", state: str = "", owner: str = ""
    ) -> Listing[ClientSession, Page[Session]]:
        """List sessions, oldest first; `state` may be several with commas."""
        page = _all(self._context, SessionQuery(project=project, state=state, owner=owner))
        items = [with_url(self._context, session) for session in page.items]
        return Listing(page, items, SESSIONS)

    def get(self, name: str, *, project: str = "") -> ClientSession:
        """Return one session. Raises NotFound, Ambiguous."""
        session: Session = self._context.call_session("sessions.get", name, project)
        return with_url(self._context, session)

    def request(self, name: str, *, project: str = "") -> TemplateFields:
        """Return the request with which a session would be launched again."""
        answer: TemplateFields = self._context.call_session("sessions.request", name, project)
        return answer

    def advice(self, name: str, *, project: str = "") -> Advice:
        """Recommend a share for a session, by the GPU memory that it has used."""
        answer: Advice = self._context.call_session("sessions.advice", name, project)
        return answer

    def url(self, name: str | Session, *, project: str = "", port: int = 0) -> str:
        """Return the URL at which a JupyterLab of this account shows a session.

        A session that is given instead of its name is not read again. `port` is one of those that
        the session exposes. The URL holds no token. Raises Unsupported for a session with nothing
        to show, NoServer if no JupyterLab shows it.
        """
        session = name if isinstance(name, Session) else self.get(name, project=project)
        return urls.url(self._context, session, port)

    def urls(self, sessions: Sequence[Session]) -> dict[str, str]:
        """Return the URLs, by id, of the sessions that can be opened now."""
        return urls.urls(self._context, sessions)


def _all(context: Context, query: SessionQuery) -> Page[Session]:
    """Return all pages of a list as one."""
    page: Page[Session] = context.call("sessions.list", query=query)
    items = page.items
    while page.next:
        page = context.call("sessions.list", query=structs.replace(query, cursor=page.next))
        items += page.items
    return Page(items=items, total=page.total, revision=page.revision)


def _request(context: Context, name: str, wishes: Wishes) -> SessionRequest:
    """Return the request, completed as a JupyterLab would complete it.

    Where sessions see the files of this machine, they run in the working folder, where a relative
    folder begins, too.
    """
    given = typed(context, wishes)
    given["project"] = given.get("project") or context.project()
    home = context.home()
    if home:
        given["base_url"] = home.base_url or "/"
        if context.local_files() and not cluster_of(given["project"]):
            given["folder"] = _folder(context, given.get("folder", ""))
    return SessionRequest(name=name, **given)


def typed(context: Context, wishes: Wishes) -> dict[str, Any]:
    """Return fields as they are sent, with those of the template or session that they name.

    Raises NotFound for an unknown one.
    """
    given: dict[str, Any] = dict(wishes)
    base = _base(context, given.pop("template", ""), given.pop("like", ""))
    for field in _NUMBERS:
        if field in given:
            given[field] = str(given[field])  # NaN and the like are numbers, but not of JSON
    if base:
        given = _completed(given, structs.asdict(base))
    for field in ("command", "args"):
        given[field] = as_words(field, given.get(field, ()))
    for field in ("tolerations", "pull_secrets", "volumes", "data", "on"):
        if field in given:
            given[field] = _texts(field, given[field])
    given["ports"] = tuple(given.get("ports", ()))
    for field in _ADDED:
        given[field] = dict(given.get(field, {}))
    return given


def _base(context: Context, template: str, like: str) -> TemplateFields | None:
    """Return the request to complete: that of a template or a session, None without either."""
    if template and like:
        raise refused(FieldError("like", "Name a template or a session, not both."))
    if like:
        answer: TemplateFields = context.call_session("sessions.request", like)
        return answer
    return template_named(context, template).request if template else None


def template_named(context: Context, name: str) -> Template:
    """Return the template with a name; an own one before that of admins. Raises NotFound."""
    answer: TemplateList = context.call("templates.list")
    found = next((each for each in answer.items if each.name == name), None)
    if found is None:
        names = ", ".join(dict.fromkeys(each.name for each in answer.items))
        hint = f"There are: {names}." if names else "Save one: jupyter gpu template save NAME."
        raise NotFound(f"Template {name!r} not found.", hint=hint)
    return found


def _completed(given: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    """Return what is given, completed by a template; another share replaces its whole share."""
    if any(given.get(field) for field in ("gpu", "gpu_memory", "mig_profile")):
        template = {field: value for field, value in template.items() if field not in _SHARE}
    added = {field: {**template[field], **given.get(field, {})} for field in _ADDED}
    return {**template, **given, **added}


def _texts(field: str, value: str | Sequence[str]) -> tuple[str, ...]:
    """Return several texts, of which one may be given as it is. Raises InvalidFields."""
    if isinstance(value, str):
        return (value,)
    try:
        return tuple(value)
    except TypeError:
        problem = FieldError(field, f"It must be a list of texts, not {value!r}.")
        raise refused(problem) from None


def _folder(context: Context, folder: str) -> str:
    """Return the folder of a session on this machine."""
    return folder if folder.startswith("~") else str(Path(context.folder(), folder))
