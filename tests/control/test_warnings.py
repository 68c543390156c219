"""Warnings on the board are told of like everything else that screens show."""

from __future__ import annotations

from jupyter_gpuquota.control.board import Board


def test_a_warning_that_comes_or_goes_is_published_once() -> None:
    board = Board()
    seen = []
    for said in ([""], ["The quota file cannot be used."], ["The quota file cannot be used."], []):
        board.warn("settings", said)
        seen.append((board.revision("about"), board.warnings()))
    first, came, stayed, gone = (revision for revision, _ in seen)
    assert [bool(warnings) for _, warnings in seen] == [False, True, True, False]
    assert came == stayed
    assert len({first, came, gone}) == 3
