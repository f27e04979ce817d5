"""Runs a controller for as long as its Deployment is there, as a kubelet would."""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2
from lightkube import Client

from gpu_cluster_sandbox.cluster.kubeconfig import write_token_kubeconfig
from gpu_cluster_sandbox.controllers import deployment, program
from gpu_cluster_sandbox.controllers.catalogue import Controller
from gpu_cluster_sandbox.controllers.pod_files import (
    mirror_certificate,
    report_ready,
    settings_of,
    write_settings,
)

_GRACE_SECONDS: Final = 5.0
_BACKOFF_SECONDS: Final = 5.0
_TIMEOUT_SECONDS: Final = 2.0


@dataclass
class Runner:
    """One controller.

    Attributes:
        controller: Which one.
        kubeconfig: The runner's own, with which it looks for the Deployment.
        home: Where its own files lie.
        probe: Host and port at which the controller says that it is well.
        say: Takes a line about what happens.
        webhook_port: The port at which it answers the API server; 0 where it is asked nothing.
    """

    controller: Controller
    client: Client
    kubeconfig: Path
    home: program.Home
    probe: str
    say: Callable[[str], None]
    webhook_port: int = 0
    _pod: deployment.Pod | None = None
    _process: subprocess.Popen[bytes] | None = None
    _ended: str = ""
    _hindrance: str = ""
    _not_before: float = field(default=0.0)

    def look(self) -> None:
        """Brings the process in line with the Deployment."""
        try:
            self._follow()
        except (httpx2.HTTPError, OSError) as error:
            # The API server may be gone for a while, and a program of the machine be missing.
            self._not_before = time.monotonic() + _BACKOFF_SECONDS
            hindrance = f"{type(error).__name__}: {error}"
        else:
            hindrance = ""
        if hindrance and hindrance != self._hindrance:
            self.say(hindrance)
        self._hindrance = hindrance

    def trouble(self) -> str:
        """Why the controller is not well; "" where it is, and where nothing asks for it."""
        if self._hindrance or self._pod is None or self._ended:
            return self._hindrance or self._ended
        connection = http.client.HTTPConnection(self.probe, timeout=_TIMEOUT_SECONDS)
        try:
            connection.request("GET", self.controller.health)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        return "" if status == http.client.OK else f"status {status}"

    def _follow(self) -> None:
        pod = deployment.find_pod(self.client, self.controller.deployment)
        if pod != self._pod:
            self.stop()
            self._pod, self._ended, self._not_before = pod, "", 0.0
            self.say("its Deployment is gone" if pod is None else "its Deployment is there")
        self._collect()
        if pod is None:
            return
        if self.controller.webhooks:
            mirror_certificate(self.client, self.controller.webhooks, pod.namespace, self.home)
        if self._process is None and time.monotonic() >= self._not_before:
            self._start(pod)
        if not self.trouble():
            report_ready(self.client, pod.namespace, self.controller.account)

    def stop(self) -> None:
        """Ends the controller."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _collect(self) -> None:
        code = self._process.poll() if self._process else None
        if code is not None:
            self._process = None
            self._ended = f"ended with code {code}"
            self._not_before = time.monotonic() + _BACKOFF_SECONDS
            self.say(self._ended)

    def _start(self, pod: deployment.Pod) -> None:
        token = deployment.account_token(self.client, pod.namespace, self.controller.account)
        self.home.prepare()
        write_token_kubeconfig(self.home.kubeconfig, self.kubeconfig, token)
        if self.controller.webhooks:
            settings = settings_of(self.client, self.controller.webhooks, pod.namespace)
            write_settings(settings, self.home, self.probe, self.webhook_port)
        self._process = program.start(
            self.controller.program,
            [
                argument.format(probe=self.probe, settings=self.home.settings)
                for argument in self.controller.arguments
            ],
            dict(pod.environment),
            self.home,
        )
        self._ended = ""
        self.say(f"started in namespace {pod.namespace}, process {self._process.pid}")
