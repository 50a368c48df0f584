"""A port of this machine for a server that a test starts."""

from __future__ import annotations

import random
import socket

# Below those that systems give to whoever asks for any, as kernels and browsers do. Between the moment when a port is
# found free and that in which the server takes it, seconds may pass, and nobody else is given one of these.
PORTS = range(15_000, 32_000)


def free_port() -> int:
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
