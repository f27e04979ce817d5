"""Secrets that lie open: in values of charts, in ConfigMaps, and passwords everybody knows.

Only names of keys and shapes of texts are looked at; no value is ever part of a message. What the
program marked as secret arrives here as a mark and passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import CHART, VALUES, WORKLOADS, is_chart, pod_specs, values_of
from gpu_cluster_policies.reading import Fields, at, entries, fields, string, walk
from gpu_cluster_policies.resources import SECRET, Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.secret_keys import is_secret_key, secret_shape

_CONFIG_MAP: Final = "core/ConfigMap"
_KNOWN: Final = frozenset(
    {
        "admin",
        "change-me",
        "changeit",
        "changeme",
        "default",
        "grafana",
        "harbor12345",
        "letmein",
        "minio123",
        "minioadmin",
        "pass",
        "passw0rd",
        "password",
        "prom-operator",
        "root",
        "secret",
        "slurm",
        "test",
        "123456",
        "12345678",
    }
)
_PASSWORD: Final = re.compile(r"(password|passwd)$", re.IGNORECASE)
# A reference, a template or a path, and not the secret itself.
_ELSEWHERE: Final = re.compile(r"^(\$\{?\w|\{\{|/[\w./-]+$|<)")
_ASSIGNMENT: Final = re.compile(
    r"^[ \t\"']*([A-Za-z_][\w.-]*)[\"']?[ \t]*[:=][ \t]*[\"']?([^\s\"',]{4,})", re.MULTILINE
)


def is_known_password(key: str, text: str) -> bool:
    """Whether a password is one that everybody tries first."""
    return bool(_PASSWORD.search(key)) and text.lower() in _KNOWN


def _texts(resource: Resource) -> Iterator[tuple[str, str, str]]:
    for top in ("values", "data"):
        for path, key, found in walk(fields(resource.props, top), top):
            if isinstance(found, str) and found:
                yield path, key, found
    if resource.sort in WORKLOADS:
        for pod in pod_specs(resource):
            for container in pod.containers:
                for variable in entries(container, "env"):
                    name, value = string(variable, "name"), string(variable, "value")
                    if value:
                        yield f"{pod.path}: variable {name}", name, value


def _lying_open(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, key, found in _texts(resource):
        if is_known_password(key, found):
            continue  # Another rule's.
        shape = secret_shape(found)
        if shape is not None:
            yield Fault(resource, f"{path} holds {shape} in plain text")
        elif is_secret_key(key) and not _ELSEWHERE.match(found):
            yield Fault(resource, f"{path} holds a secret in plain text")
        elif resource.sort == _CONFIG_MAP and "\n" in found.strip():
            yield from _in_file(resource, path, found)


def _in_file(resource: Resource, path: str, content: str) -> Iterator[Verdict]:
    """What lies open in a whole file that a ConfigMap holds."""
    for key, value in _ASSIGNMENT.findall(content):
        if is_secret_key(key) and not _ELSEWHERE.match(value):
            yield Fault(resource, f"{path} holds a secret in plain text, {key}")
            return


PLAINTEXT_SECRET: Final = ResourceRule(
    id="plaintext-secret",
    description="No secret lies in plain text in values of charts, in ConfigMaps or in variables.",
    why="They stand in the state, in Helm's history and in every diff, and whoever reads the "
    "namespace reads them.",
    mend="keep it in a Secret that the chart or pod refers to, or mark the value as secret",
    severity=Severity.CRITICAL,
    tags=("security", "secrets"),
    reads={
        **VALUES,
        CHART: VALUES["helm.sh/Release"],
        _CONFIG_MAP: ("metadata", "data"),
        **WORKLOADS,
    },
    judge=_lying_open,
)


def _well_known(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, key, found in _texts(resource):
        if is_known_password(key, found):
            yield Fault(resource, f"{path} is a password that everybody tries first")
    if is_chart(resource, "kube-prometheus-stack"):
        grafana = fields(values_of(resource), "grafana")
        if at(grafana, "enabled") is not False and not _has_password(grafana):
            yield Fault(resource, "values.grafana leaves the chart's own password in place")


def _has_password(grafana: Fields) -> bool:
    return bool(
        at(grafana, "adminPassword") is SECRET
        or string(grafana, "adminPassword")
        or string(grafana, "admin", "existingSecret")
    )


DEFAULT_PASSWORD: Final = ResourceRule(
    id="default-password",
    description="No password is one that a chart brings along or that everybody tries first.",
    why="It opens the door to whoever reads the chart.",
    mend="refer to a Secret of your own (existingSecret), made once",
    severity=Severity.CRITICAL,
    tags=("security", "secrets"),
    reads={
        **VALUES,
        CHART: VALUES["helm.sh/Release"],
        _CONFIG_MAP: ("metadata", "data"),
        **WORKLOADS,
    },
    judge=_well_known,
)
