"""A publisher for many fake kernels: prints its ports, then sends messages for every line read.

python benchmarks/simulated/publisher.py COUNT
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any

import zmq

KINDS = ("status", "execute_input", "status")


def main(count: int) -> None:
    """Publish until standard input is closed."""
    context: zmq.Context[Any] = zmq.Context()
    context.max_sockets = count + 16
    sockets = [context.socket(zmq.XPUB) for _ in range(count)]
    print([socket.bind_to_random_port("tcp://127.0.0.1") for socket in sockets], flush=True)
    for _ in sys.stdin:
        for number, socket in enumerate(sockets):
            for kind in KINDS:
                header = {"msg_type": kind, "date": datetime.now(UTC).isoformat()}
                parts = [json.dumps(part).encode() for part in (header, {}, {}, {"code": "1"})]
                topic = f"kernel.{number}.{kind}".encode()
                socket.send_multipart([topic, b"<IDS|MSG>", b"", *parts])
        print("sent", flush=True)
    context.destroy(linger=0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
