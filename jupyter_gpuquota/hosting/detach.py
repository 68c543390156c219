"""Start a program that outlives its starter. Run as a script with the program's command line.

The program gets a kernel session of its own and no input. This process stays between the two: it
ends with the program's exit status while its standard input is open, and exits at once, without
affecting the program, when that is closed. So the starter never has a child that runs for weeks and
must be waited for.
"""

import os
import select
import sys

PAUSE = 0.02


def main(argv: list[str]) -> int:
    """Start the program and return its exit status, or 0 once standard input is closed."""
    program = os.fork()
    if program == 0:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execv(argv[0], argv)  # noqa: S606 (deliberately without a shell)
    while not select.select([0], [], [], PAUSE)[0]:
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
