"""The client as a whole: lists that show themselves, and who it is connected to."""

from __future__ import annotations

import sys

import msgspec
import pandas as pd
import pytest
from IPython.lib.pretty import pretty

from jupyter_gpuquota import Client, __version__
from jupyter_gpuquota.client.listing import Listing
from jupyter_gpuquota.client.session import SESSIONS
from jupyter_gpuquota.errors import NoServer, NotFound, Unsupported

LISTS = {
    "sessions": lambda client: client.sessions.list(),
    "quota": lambda client: client.quota.get(),
    "projects": lambda client: client.projects.list(),
    "node_groups": lambda client: client.node_groups.put("big", ["dgx1-1"]),
    "nodes": lambda client: client.nodes.list(),
    "environments": lambda client: client.environments.list(),
    "audit": lambda client: client.audit(),
    "history": lambda client: client.history(),
}


@pytest.fixture
def client(transport, preferred) -> Client:
    return Client(transport=transport)


@pytest.fixture
def used(client, backend) -> Client:
    """A client of a server on which something has happened."""
    client.sessions.submit("exp1", gpu=0.5, project="team-a")
    client.projects.put("team-c", quota=1)
    return client


@pytest.mark.parametrize("noun", LISTS)
def test_a_list_is_a_table_in_text_html_and_pandas(used, noun):
    listing = LISTS[noun](used)
    assert len(listing.df) == len(listing.rows)
    heading, *lines = repr(listing).splitlines()
    if listing.rows:
        assert heading == heading.upper()
        assert len(lines) == len(listing.rows)
        assert listing._repr_html_().count("<tr>") == len(lines) + 1
    else:
        assert noun == "history"
        assert (heading, listing._repr_html_()) == (
            "No GPU use in this period.",
            "<p>No GPU use in this period.</p>",
        )


def test_a_list_is_a_sequence_and_reads_through_to_its_answer(used):
    sessions = used.sessions.list()
    assert [s.spec.name for s in sessions] == ["exp1"]
    assert sessions[0] in sessions
    assert sessions == tuple(sessions)
    assert sessions == list(sessions)
    assert (sessions.total, sessions.document.total) == (1, 1)
    with pytest.raises(AttributeError):
        _ = sessions.nothing


def test_an_empty_list_says_so_and_keeps_its_columns(client):
    sessions = client.sessions.list()
    assert (repr(sessions), len(sessions.df)) == ("No sessions.", 0)
    assert {"name", "gpus", "id"} <= set(sessions.df.columns)


def test_a_data_frame_has_plain_values(used):
    frame = used.sessions.list().df
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.gpus) == [0.5]
    assert frame.created.dt.tz is not None


def test_html_is_escaped_and_text_is_one_line(used):
    session = used.sessions.submit("exp2", project="team-a")
    odd = msgspec.structs.replace(session, owner="<b>a\x1b[2J\n</b>")
    listing = Listing(None, [odd], SESSIONS)
    assert "&lt;b&gt;" in listing._repr_html_()
    assert "<b>" not in listing._repr_html_()
    assert len(repr(listing).splitlines()) == 2
    assert "\x1b" not in repr(listing)


def test_without_pandas_the_rows_are_still_there(used, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    sessions = used.sessions.list()
    with pytest.raises(Unsupported) as caught:
        _ = sessions.df
    assert "pip install pandas" in caught.value.hint
    assert sessions.rows[0]["name"] == "exp1"


def displayed(client: Client) -> str:
    """Return what IPython shows of a client."""
    return pretty(client)


def test_a_client_says_who_it_is_and_where(client, transport):
    assert repr(client) == "Client (not connected yet)"
    client.quota.get()
    sent = len(transport.seen)
    assert repr(client) == "Client of memory"
    assert len(transport.seen) == sent
    assert displayed(client) == repr(client)
    assert repr(client) == f"Client of me at memory: fake backend, version {__version__}"


def test_a_client_that_reaches_nothing_says_why():
    class Nowhere:
        url = ""

        def send(self, message):
            raise NoServer("Nothing answers.")

    client = Client(transport=Nowhere())
    assert displayed(client) == "Client (not connected: Nothing answers.)"


def test_an_error_comes_out(client):
    with pytest.raises(NotFound):
        client.sessions.get("nothing")


def test_a_verb_explains_itself(client):
    assert "Launch a session" in client.sessions.submit.__doc__
