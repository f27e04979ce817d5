"""An API server of a few lines, for what a real one does only when it is in trouble."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2
from lightkube import Client, KubeConfig
from lightkube.config.models import Cluster, User

from pulumi_gpu_cluster.operations.api_server import ApiServer

SERVER = "https://api.example:6443"
Answer = Callable[[httpx2.Request], httpx2.Response]


@dataclass
class Clock:
    """Time that passes only while somebody waits."""

    seconds: float = 0.0
    pauses: list[float] = field(default_factory=list[float])

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds

    def now(self) -> float:
        return self.seconds


def api_server(answer: Answer, clock: Clock) -> ApiServer:
    config = KubeConfig.from_one(cluster=Cluster(server=SERVER), user=User(username="ci")).get()
    client = Client(config, transport=httpx2.MockTransport(answer))
    return ApiServer(client, SERVER, sleep=clock.sleep, now=clock.now)


def status(code: int, message: str) -> httpx2.Response:
    body: dict[str, Any] = {"kind": "Status", "code": code, "message": message}
    return httpx2.Response(
        code, text=json.dumps(body), headers={"Content-Type": "application/json"}
    )
