"""Unreadable records are set aside with a warning, and can be put back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import NameTaken, VersionMismatch
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of, home_of, marked, wait_for
from tests.local.test_rebuild import SLEEP, aside, change, fill, what_is_kept

pytestmark = pytest.mark.asyncio


async def closed(make) -> tuple[Path, str, str, tuple]:
    """Fill a backend and close it; return its folder, its sessions and what is kept."""
    backend = await make()
    running, ended, kept = await fill(backend)
    await backend.resident.close()
    return home_of(backend), running, ended, kept


def warning_of(backend: Backend, *words: object) -> str:
    """Return the one warning that has all of these words."""
    (found,) = [w for w in backend.changes.warnings() if all(str(word) in w for word in words)]
    return found


async def test_a_stray_file_among_the_sessions_does_not_prevent_a_start(make, settings):
    home, _, _, kept = await closed(make)
    (home / "sessions" / "README").write_text("notes")
    (home / "sessions" / "link").symlink_to("nowhere")
    again = await make()
    assert await what_is_kept(again) == kept
    assert [path.name for path in aside(home)] == ["README", "link"]
    assert aside(home)[0].read_text() == "notes"
    warning_of(again, home / "sessions" / "README", aside(home)[0].parent)


async def test_a_session_that_cannot_be_read_is_set_aside_and_can_be_put_back(make, settings):
    home, _, ended, kept = await closed(make)
    (home / "state.db").unlink()
    folder = folder_of(home, ended)
    good = folder.copy.read_bytes()
    folder.copy.write_bytes(b"\xff not readable")
    log = (folder.path / "log").read_bytes()
    second = await make()
    assert ended not in {session.id for session in second.sessions.all()}
    (kept_folder,) = aside(home)
    assert (kept_folder / "log").read_bytes() == log
    warning_of(second, folder.path, kept_folder.parent, "session.json")
    await second.resident.close()
    (kept_folder / "session.json").write_bytes(good)
    shutil.move(kept_folder, folder.path)
    shutil.rmtree(kept_folder.parent)
    third = await make()
    assert await what_is_kept(third) == kept
    warning_of(third, "state.db")


async def test_a_row_that_cannot_be_read_is_found_in_its_folder(make, settings):
    home, _, ended, kept = await closed(make)
    change(home, "UPDATE sessions SET body = x'7b' WHERE id = ?", ended)
    again = await make()
    assert await what_is_kept(again) == kept
    assert [path.read_bytes() for path in aside(home)] == [b"{"]
    warning_of(again, ended, "restored from its folder")


async def test_a_copy_that_cannot_be_read_is_written_anew(make, settings):
    home, running, _, kept = await closed(make)
    copy = folder_of(home, running).copy
    copy.write_bytes(b"{")
    again = await make()
    assert await what_is_kept(again) == kept
    assert json.loads(copy.read_bytes())["id"] == running
    assert [path.read_bytes() for path in aside(home)] == [b"{"]


async def test_a_running_session_that_cannot_be_read_is_named_with_its_process(make, settings):
    home, running, ended, kept = await closed(make)
    (home / "state.db").unlink()
    folder = folder_of(home, running)
    good = folder.copy.read_bytes()
    folder.copy.write_bytes(b"{")
    second = await make()
    assert [session.id for session in second.sessions.all()] == [ended]
    warning_of(second, folder.path, f"process {folder.last_leader().pid}")
    assert len(marked(running)) == 1
    await second.resident.close()
    folder.copy.write_bytes(good)
    assert await what_is_kept(await make()) == kept


async def test_an_unknown_folder_is_adopted_with_its_processes(make, settings):
    home, running, _, kept = await closed(make)
    change(home, "DELETE FROM sessions")
    assert await what_is_kept(await make()) == kept
    assert len(marked(running)) == 1


async def test_a_folder_whose_name_was_given_away_is_set_aside(make, settings):
    home, _, ended, _ = await closed(make)
    shutil.move(home / "sessions" / ended, home / "elsewhere")
    change(home, "DELETE FROM sessions WHERE id = ?", ended)
    second = await make()
    other = await until(second, (await launch(second, "ended", command=("true",))).id, "done")
    await second.resident.close()
    shutil.move(home / "elsewhere", home / "sessions" / ended)
    third = await make()
    warning_of(third, ended, "another session named ended", other.id)
    assert aside(home)[0].name == ended


@pytest.mark.parametrize("with_row", [False, True])
async def test_a_session_of_a_newer_version_is_left_as_it_is(make, settings, with_row):
    home, _, ended, kept = await closed(make)
    folder = folder_of(home, ended)
    good = folder.copy.read_bytes()
    newer = b'{"id": "' + ended.encode() + b'", "format": {"of": "tomorrow"}}'
    folder.copy.write_bytes(newer)
    if with_row:
        change(home, "UPDATE sessions SET body = ? WHERE id = ?", newer, ended)
    else:
        change(home, "DELETE FROM sessions WHERE id = ?", ended)
    second = await make()
    assert ended not in {session.id for session in second.sessions.all()}
    assert (folder.copy.read_bytes(), aside(home)) == (newer, [])
    warning_of(second, ended, "newer version", folder.path)
    if with_row:
        with pytest.raises(NameTaken, match="cannot read"):
            await launch(second, "ended", command=SLEEP)
    await second.resident.close()
    folder.copy.write_bytes(good)
    assert await what_is_kept(await make()) == kept


async def test_settings_of_a_newer_version_are_refused(make, settings):
    home, _, _, kept = await closed(make)
    newer = b'{"latest": {"of": "tomorrow"}}'
    good = (home / "settings.json").read_bytes()
    (home / "settings.json").write_bytes(newer)
    change(home, "UPDATE settings SET body = ?", newer)
    with pytest.raises(VersionMismatch, match="newer version"):
        await make()
    assert ((home / "settings.json").read_bytes(), aside(home)) == (newer, [])
    (home / "settings.json").write_bytes(good)
    assert await what_is_kept(await make()) == kept


@pytest.mark.parametrize("broken", ["row", "copy", "project"])
async def test_settings_are_found_again_in_whichever_can_be_read(make, settings, broken):
    home, _, _, kept = await closed(make)
    if broken == "copy":
        (home / "settings.json").write_bytes(b"{")
    elif broken == "row":
        change(home, "UPDATE settings SET body = x'ff'")
    else:
        change(home, "UPDATE projects SET body = x'ff' WHERE name = 'team-1'")
    again = await make()
    assert await what_is_kept(again) == kept
    assert len(aside(home)) == 1
    await again.administration.put_project(Project(name="next", quota=1, revision=""), "ana")


async def test_settings_that_cannot_be_read_at_all_are_said_and_can_be_put_back(make, settings):
    home, _, _, kept = await closed(make)
    good = (home / "settings.json").read_bytes()
    (home / "settings.json").write_bytes(b"{")
    change(home, "UPDATE settings SET body = x'ff'")
    change(home, "UPDATE projects SET body = x'ff'")
    second = await make()
    assert [p.name for p in second.inventory.projects()] == ["team-a", "team-b"]
    text = warning_of(second, home / "settings.json", "reset to the configuration")
    assert str(aside(home)[0].parent) in text
    await second.resident.close()
    (home / "settings.json").write_bytes(good)
    third = await make()
    assert await what_is_kept(third) == kept
    await third.administration.put_project(Project(name="next", quota=1, revision=""), "ana")


async def test_an_entry_of_the_audit_log_that_cannot_be_read_is_found_in_the_copy(make, settings):
    home, _, _, kept = await closed(make)
    change(home, "UPDATE audit SET body = x'ff' WHERE id = 3")
    again = await make()
    assert await what_is_kept(again) == kept
    warning_of(again, "Entry 3 of the audit log", "audit.ndjson")


async def test_an_unreadable_entry_does_not_hide_the_others(make, settings):
    home, _, _, kept = await closed(make)
    lines = (home / "audit.ndjson").read_bytes().splitlines(keepends=True)
    (home / "audit.ndjson").write_bytes(lines[0] + b"{\n" + lines[2])
    change(home, "UPDATE audit SET body = x'ff' WHERE id = 3")
    second = await make()
    assert [entry[0] for entry in (await what_is_kept(second))[2]] == ["4", "2"]
    warning_of(second, "Entry 3 could not be restored")
    warning_of(second, home / "audit.ndjson", "lines that cannot be read: 2")
    await second.resident.close()
    with (home / "audit.ndjson").open("ab") as copy:
        copy.write(lines[1])
    third = await make()
    assert await what_is_kept(third) == kept
    await third.administration.put_project(Project(name="next", quota=1, revision=""), "ana")


async def test_an_entry_of_a_newer_version_is_kept_and_not_listed(make, settings):
    home, *_ = await closed(make)
    newer = b'{"id": "3", "what": {"of": "tomorrow"}}'
    change(home, "UPDATE audit SET body = ? WHERE id = 3", newer)
    again = await make()
    assert [entry[0] for entry in (await what_is_kept(again))[2]] == ["4", "2"]
    warning_of(again, "Entry 3", "newer version")
    assert aside(home) == []


async def test_a_line_that_was_cut_off_is_written_again(make, settings):
    home, _, _, kept = await closed(make)
    copy = home / "audit.ndjson"
    lines = copy.read_bytes()
    copy.write_bytes(lines[:-20])
    again = await make()
    assert await what_is_kept(again) == kept
    assert copy.read_bytes() == lines
    assert again.changes.warnings() == ()


async def test_copies_that_cannot_be_written_are_written_later(make, settings):
    backend = await make()
    home = home_of(backend)
    await backend.administration.put_project(Project(name="one", quota=1, revision=""), "ana")
    before = (home / "audit.ndjson").read_bytes()
    (home / "audit.ndjson").unlink()
    (home / "audit.ndjson").mkdir()
    await backend.administration.put_project(Project(name="two", quota=1, revision=""), "ana")
    await wait_for(lambda: "cannot be written" in " ".join(backend.changes.warnings()))
    (home / "audit.ndjson").rmdir()
    (home / "audit.ndjson").write_bytes(before)
    await wait_for(lambda: backend.changes.warnings() == ())
    assert len((home / "audit.ndjson").read_bytes().splitlines()) == 2


async def test_copies_that_were_removed_are_written_again(make, settings):
    backend = await make()
    home = home_of(backend)
    await fill(backend)
    before = [(home / name).read_bytes() for name in ("settings.json", "audit.ndjson")]
    for name in ("settings.json", "audit.ndjson"):
        (home / name).unlink()
    await wait_for(lambda: (home / "audit.ndjson").exists())
    assert [(home / name).read_bytes() for name in ("settings.json", "audit.ndjson")] == before
