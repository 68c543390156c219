"""The duration of a scheduling round, by size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from time import perf_counter

import msgspec

from jupyter_gpuquota.control.scheduler import CYCLE, Planner
from jupyter_gpuquota.core.scheduling.allocation import apply_plan
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.model.quota import Project, Rules
from jupyter_gpuquota.model.resources import MILLI, Device, Node, Placement, Share
from jupyter_gpuquota.model.sessions import Kind, Session, SessionSpec

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, half_ms, ms
from ..measuring.timing import Sample, in_turn

TITLE = "one scheduling round"
ROUND_SECONDS = 0.100
NOTHING_SECONDS = 0.005
SHARED_SECONDS = 0.300
SEARCH_SECONDS = 0.200
SIZES = ((16, 20), (1_000, 5_000), (10_000, 50_000))
JUDGED = (1_000, 5_000)
MOST_ROUNDS = 20
COUNTS = ("started", "waiting", "reclaimed")
SHARED, NOTHING = "every GPU shared by borrowers", "nothing new"
APART, LIMIT = "nodes that separate, shared by borrowers", "limit reached, trainings in the way"
RETURN, MOVES = "owners return", "owners return, consolidate"
MOVES_TIMES = 2
OWNERS = 20
"""Projects that return, and as many that borrow, where every GPU is shared."""

Found = dict[tuple[int, int], dict[str, Sample]]
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
MEMORY = 32_768
KINDS: tuple[Kind, ...] = ("interactive", "train", "interactive-spot", "train")
SHARES = (
    Share(milli=100),
    Share(milli=200),
    Share(milli=100, compute=10),
    Share(memory=4096),
    Share(milli=250),
    Share(milli=100),
    Share(memory=2048, compute=5),
    Share(milli=500),
    Share(milli=100),
    Share(milli=1000),
)


def measure(context: Context) -> Report:
    """Time rounds of three sizes, with all sessions queued and with most running."""
    report = Report()
    table = report.table("core.scheduling.plan", "", "median", "middle half", *COUNTS)
    found: Found = {}
    for size in SIZES:
        gpus, sessions = size
        cold = snapshot(gpus, sessions)
        rest = settle(cold)
        given = {"all wait": cold, "most run": arrive(rest), RETURN: come_back(rest)}
        if size == JUDGED:
            given[MOVES] = replace(given[RETURN], rules=Rules(consolidate=True))
            given[SHARED] = shared(gpus)
            given[APART] = apart(gpus)
            given[LIMIT] = limit_reached(gpus)
        sides = {name: partial(_time, before) for name, before in given.items()}
        sides[NOTHING] = partial(_time_again, _planner(rest), rest)
        rounds = context.rounds(15, 5) if gpus <= 1_000 else context.rounds(5, 3)
        samples = in_turn(rounds, sides)
        found[size] = samples
        given[NOTHING] = rest
        for name, before in given.items():
            decided = plan(before)
            outcomes = [decision.outcome for decision in decided.decisions]
            started = sum(isinstance(outcome, Placement) for outcome in outcomes)
            table.add(
                f"{gpus:,} GPUs, {sessions:,} sessions, {name}",
                ms(samples[name].median, 1),
                half_ms(samples[name], 1),
                f"{started:,}",
                f"{len(outcomes) - started:,}",
                f"{len(decided.evictions):,}",
            )
    _judge(report, found)
    return report


def _judge(report: Report, found: Found) -> None:
    sides = dict(found[JUDGED])
    nothing, all_shared, moves = sides.pop(NOTHING), sides.pop(SHARED), sides.pop(MOVES)
    searches = max((sides.pop(APART), sides.pop(LIMIT)), key=lambda sample: sample.median)
    slowest = max(sides.values(), key=lambda sample: sample.median).median
    report.judge(
        "a round at 1,000 GPUs and 5,000 sessions, the slowest of three",
        ms(slowest, 1),
        "at most 100 ms",
        met=slowest <= ROUND_SECONDS,
    )
    report.judge(
        "the same where nothing is new",
        ms(nothing.median, 2),
        "at most 5 ms",
        met=nothing.median <= NOTHING_SECONDS,
    )
    report.judge(
        "the same where every GPU is shared by borrowers, and a round ends after 200 ms",
        ms(all_shared.median, 0),
        "at most 300 ms",
        met=all_shared.median <= SHARED_SECONDS,
    )
    report.judge(
        "a round at 1,000 GPUs in which one session needs many victims",
        ms(searches.median, 1),
        "at most 200 ms",
        met=searches.median <= SEARCH_SECONDS,
    )
    times = moves.median / sides[RETURN].median
    report.judge(
        "the same where owners return and sessions may be moved, beside without",
        f"{times:.1f} times",
        f"at most {MOVES_TIMES} times",
        met=times <= MOVES_TIMES,
    )
    _note_growth(report, found)


def _note_growth(report: Report, found: Found) -> None:
    growth = ", ".join(
        f"{sample.median / found[JUDGED][name].median:.0f} times ({name})"
        for name, sample in found[SIZES[-1]].items()
    )
    report.tables[-1].note(f"ten times the machine and the sessions take {growth}")


def snapshot(gpus: int, sessions: int) -> ClusterSnapshot:
    """Return a cluster of 8-GPU nodes with a team per 50 sessions, all queued."""
    nodes = [
        Node(
            name=f"n{n:05d}",
            devices=tuple(
                Device(index=i, uuid=f"{n}-{i}", model="V100", memory=MEMORY) for i in range(8)
            ),
        )
        for n in range(gpus // 8)
    ]
    teams = max(4, sessions // 50)
    quota = gpus * MILLI // teams
    projects = [Project(name=f"team-{t:04d}", quota=quota, weight=1 + t % 3) for t in range(teams)]
    line = [_any_session(number, teams) for number in range(sessions)]
    return ClusterSnapshot(line, projects, nodes, NOW)


def _any_session(number: int, teams: int) -> Session:
    # Teams ask for different amounts, so that some are below their quota and others borrow.
    team = number * 7919 % teams * (number * 104_729 % teams) // teams
    kind = KINDS[number // 3 % len(KINDS)]
    return _session(number, f"team-{team:04d}", kind, SHARES[number % len(SHARES)])


def _session(number: int, team: str, kind: Kind, share: Share) -> Session:
    made = NOW - timedelta(hours=10) + timedelta(milliseconds=number)
    spec = SessionSpec(
        name=f"s{number:06d}",
        project=team,
        kind=kind,
        share=share,
        environment="",
        folder="",
        priority=(50, 50, 80)[number % 3],
    )
    return Session(
        id=spec.name, spec=spec, owner="", state="waiting", since=made, created=made, path=""
    )


def settle(begun: ClusterSnapshot) -> ClusterSnapshot:
    """Run rounds until nothing changes, with sessions that start and end at once."""
    sessions = {session.id: session for session in begun.sessions}
    for _ in range(MOST_ROUNDS):
        now = ClusterSnapshot(list(sessions.values()), begun.projects, begun.nodes, begun.now)
        if not apply_plan(plan(now), sessions, NOW):
            return now
    raise CouldNotMeasure(f"the rounds do not settle within {MOST_ROUNDS}")


def arrive(settled: ClusterSnapshot) -> ClusterSnapshot:
    """End every tenth running session and queue as many new ones."""
    numbers = count()
    stay = [s for s in settled.sessions if not s.placement or next(numbers) % 10]
    teams = len(settled.projects)
    gone = len(settled.sessions) - len(stay)
    new = [_any_session(len(settled.sessions) + i, teams) for i in range(gone)]
    return ClusterSnapshot([*stay, *new], settled.projects, settled.nodes, settled.now)


def come_back(settled: ClusterSnapshot) -> ClusterSnapshot:
    """Have the projects that use least of their quota request interactive sessions."""
    held: Counter[str] = Counter()
    for session in settled.sessions:
        held[session.spec.project] += session.placement.milli if session.placement else 0
    teams = sorted(project.name for project in settled.projects)
    below = [name for name in teams if held[name] < settled.projects[0].quota // 2]
    asked = max(1, len(settled.sessions) // 100)
    new = [
        _session(len(settled.sessions) + i, below[i % len(below)], "interactive", SHARES[i % 10])
        for i in range(asked)
    ]
    return ClusterSnapshot([*settled.sessions, *new], settled.projects, settled.nodes, settled.now)


def shared(gpus: int) -> ClusterSnapshot:
    """Return a cluster whose GPUs are all shared by borrowers, and owners who ask for them back."""
    nodes = snapshot(gpus, 1).nodes
    owners = [
        Project(name=f"owner-{n:02d}", quota=gpus * MILLI // OWNERS, weight=1)
        for n in range(OWNERS)
    ]
    borrowers = [Project(name=f"guest-{n:02d}", quota=0, weight=1 + n % 3) for n in range(OWNERS)]
    parts = (100, 150, 100, 100, 200, 100, 250, 100, 100, 100)
    held = list(_asked(gpus, "guest", parts, ("train",), first=0))
    begun = settle(ClusterSnapshot(held, [*owners, *borrowers], nodes, NOW))
    shapes = (100, 2000, 250, 1000, 300, 500, 4000, 800)
    asked = list(_asked(gpus, "owner", shapes, KINDS, first=len(held)))
    return ClusterSnapshot([*begun.sessions, *asked], begun.projects, nodes, NOW)


def apart(gpus: int) -> ClusterSnapshot:
    """Return nodes that separate, shared by borrowers, and an owner who asks for a whole GPU."""
    nodes = [msgspec.structs.replace(n, separate=True) for n in snapshot(gpus, 1).nodes]
    projects = [
        Project(name="owner", quota=gpus * MILLI),
        Project(name="guest", quota=0, weight=1),
    ]
    held = [_session(n, "guest", "train", Share(milli=MILLI // 8)) for n in range(8 * gpus)]
    begun = settle(ClusterSnapshot(held, projects, nodes, NOW))
    owner = _session(len(held), "owner", "interactive", Share(milli=MILLI))
    return replace(begun, sessions=[*begun.sessions, owner])


def limit_reached(gpus: int) -> ClusterSnapshot:
    """Return a team whose trainings use up its limit, half of all, and a session of higher rank."""
    most = gpus * MILLI // 2
    team = Project(name="team", quota=most, limit=most)
    held = [_session(n, "team", "train", Share(milli=MILLI // 8)) for n in range(4 * gpus)]
    begun = settle(ClusterSnapshot(held, [team], snapshot(gpus, 1).nodes, NOW))
    urgent = _session(len(held), "team", "interactive", Share(milli=2 * MILLI))
    return replace(begun, sessions=[*begun.sessions, urgent])


def _asked(
    gpus: int, team: str, shapes: Sequence[int], kinds: Sequence[Kind], first: int
) -> Iterator[Session]:
    """Yield requests of teams for so many GPUs in all."""
    number, left = first, gpus * MILLI
    while left > 0:
        share = Share(milli=shapes[number % len(shapes)])
        yield _session(number, f"{team}-{number % OWNERS:02d}", kinds[number % len(kinds)], share)
        number, left = number + 1, left - share.milli


def _time(given: ClusterSnapshot) -> float:
    begun = perf_counter()
    plan(given, partial(_is_over, begun + CYCLE))
    return perf_counter() - begun


def _is_over(at: float) -> bool:
    return perf_counter() >= at


def _planner(given: ClusterSnapshot) -> Planner:
    """Return a planner that has planned once."""
    planner = Planner(lambda: bool)
    planner.plan(given)
    return planner


def _time_again(planner: Planner, given: ClusterSnapshot) -> float:
    """Time a round in which only measurements have changed, of every second session."""
    sessions = [
        msgspec.structs.replace(session, queue_position=session.queue_position + number % 2)
        for number, session in enumerate(given.sessions)
    ]
    again = replace(given, sessions=sessions)
    begun = perf_counter()
    planner.plan(again)
    return perf_counter() - begun
