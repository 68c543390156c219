"""A controller hosted by https as a process: what it needs, refuses and never prints."""

from __future__ import annotations

import http.client
import signal

import pytest

from tests.controller.process import Process, ask
from tests.waiting import patience


def test_it_answers_and_stays_and_logs_no_token(tmp_path):
    controller = Process(tmp_path, Controller__idle_exit="0.01")
    with controller.running() as port:
        connection = controller.connection(port)
        status, about = ask(connection, "/about", controller.tokens["ana"])
        assert (status, about["user"], about["backend"]) == (200, "ana", "memory")
        assert ask(connection, "/about?token=my-secret", "unknown-secret")[0] == 401
        connection.close()
        second = controller.refused()
        assert "Another controller is running" in second
        malformed = controller.connection(port)
        malformed.connect()
        malformed.sock.sendall(b"GET / HTTP/1.1\r\nAuthorization: Bearer secret-\x01\r\n\r\n")
        assert b" 200 " not in malformed.sock.recv(1000)
        malformed.close()
    said = controller.log.read_text()
    assert "exiting; sessions end, too" in said
    assert not (tmp_path / "state" / "backends" / "memory" / "controller.sock").exists()
    for secret in ("secret", *controller.tokens.values()):
        assert secret not in said


PLAIN = {"Controller__insecure": "True", "Controller__certificate": "", "Controller__key": ""}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"Controller__certificate": ""}, "Hosting by https needs a certificate"),
        ({"Controller__key": ""}, "Hosting by https needs a certificate"),
        ({"Controller__certificate": "/none"}, "/none"),
        ({**PLAIN, "Controller__address": "0.0.0.0:0"}, "without encryption"),
        ({**PLAIN, "Controller__address": "192.0.2.1:0"}, "without encryption"),
        ({"Controller__insecure": "True"}, "Controller.insecure"),
        ({"Controller__authenticators": "nobody"}, "Installed: jupyterhub, kubernetes, tokens."),
        ({"Controller__authenticators": ""}, "authenticators"),
        ({"TokenFileAuthenticator__path": ""}, "to the token file"),
        ({"TokenFileAuthenticator__path": "/none"}, "/none"),
        ({"Controller__address": "8443"}, "not an address"),
        ({"hosting": "http"}, "hosting"),
    ],
)
def test_what_is_missing_or_wrong_is_said(tmp_path, settings, said):
    controller = Process(tmp_path, **settings)
    assert said in controller.refused()


def test_an_address_that_is_taken_is_said(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with Process(first).running(signal.SIGINT) as port:
        said = Process(second, Controller__address=f"127.0.0.1:{port}").refused()
        assert f"cannot listen on 127.0.0.1:{port}" in said


def test_behind_a_proxy_the_clients_addresses_are_the_proxys_word(tmp_path):
    controller = Process(tmp_path, **PLAIN)
    with controller.running() as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience())

        def guess(address: str) -> int:
            return ask(connection, "/about", "guess", **{"X-Forwarded-For": address})[0]

        statuses = [guess("192.0.2.1") for _ in range(60)]
        assert (statuses[0], statuses[-1]) == (401, 429)
        assert guess("192.0.2.2") == 401
        connection.close()
