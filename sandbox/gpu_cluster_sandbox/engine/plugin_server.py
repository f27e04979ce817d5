"""What every plugin written here has in common: how it is started, and how it ends."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import grpc

if TYPE_CHECKING:
    from collections.abc import Callable

# A site's whole state can pass in one message; the same limit as Pulumi's own plugins have.
_MESSAGE_BYTES: Final = 400 << 20
_WORKERS: Final = 64
_ORPHAN_CHECK_SECONDS: Final = 0.5


def command_line() -> argparse.ArgumentParser:
    """A parser for what the engine gives every plugin on its command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracing", help="accepted and not used")
    parser.add_argument("--logtostderr", action="store_true", help="accepted and not used")
    parser.add_argument("-v", help="accepted and not used")
    parser.add_argument("engine", nargs="?", default="", help="the engine's address")
    return parser


def serve(register: Callable[[grpc.Server], None], stop_children: Callable[[], None]) -> None:
    """Serve a plugin on a free loopback port until the engine ends it or is gone.

    The engine reads the port from the first line of standard output. It ends a plugin by
    SIGINT to its process group; if it dies itself, the plugin notices that it has another
    parent. Both ways leave quietly and after the children: a traceback would land in the
    user's `pulumi up`.
    """
    over = threading.Event()

    def end(_number: int, _frame: object) -> None:
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    server = grpc.server(
        ThreadPoolExecutor(_WORKERS),
        options=[
            ("grpc.max_receive_message_length", _MESSAGE_BYTES),
            ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ],
    )
    register(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    parent = os.getppid()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    while not over.wait(_ORPHAN_CHECK_SECONDS):
        if os.getppid() != parent:
            break
    stop_children()
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: it would wait for the workers, and one may still wait for the engine.
    os._exit(0)
