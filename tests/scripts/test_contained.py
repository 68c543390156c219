"""Nothing outlives a contained command, however it tries to get away."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]

# Detaches as a daemon does: it leaves the process group, and its parent need not wait for it.
DAEMON = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1]], start_new_session=True)
sys.stdin.readline()
"""
# Tells its pid when it is ready.
SLEEPER = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"


def contained(*command, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.contained", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_daemon_ends_with_the_command_that_started_it():
    with contained(sys.executable, "-c", DAEMON, SLEEPER, stdin=subprocess.PIPE) as process:
        daemon = int(process.stdout.readline())
        process.communicate("the command may end now\n")
        assert process.returncode == 0
    assert not psutil.pid_exists(daemon)


def test_a_daemon_ends_when_the_command_is_told_to_stop():
    with contained(sys.executable, "-c", DAEMON, SLEEPER, stdin=subprocess.PIPE) as process:
        daemon = int(process.stdout.readline())
        process.terminate()
        assert process.wait() == 128 + signal.SIGTERM
    assert not psutil.pid_exists(daemon)


def test_a_daemon_that_ignores_sigterm_is_killed():
    stubborn = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"
    with contained(sys.executable, "-c", DAEMON, stubborn, stdin=subprocess.PIPE) as process:
        daemon = int(process.stdout.readline())
        process.communicate("the command may end now\n")
    assert not psutil.pid_exists(daemon)


def test_the_exit_code_is_that_of_the_command():
    with contained(sys.executable, "-c", "raise SystemExit(7)") as process:
        assert process.wait() == 7


def test_the_environment_reaches_the_command():
    environment = {**os.environ, "GPUQUOTA_PROBE": "there"}
    program = "import os; print(os.environ['GPUQUOTA_PROBE'])"
    with contained(sys.executable, "-c", program, env=environment) as process:
        assert process.stdout.read().strip() == "there"
