"""The site file's section on monitoring."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.secret import Generated, Given
from pulumi_gpu_cluster.section import (
    HOST_AND_PORT,
    PERIOD,
    DnsLabel,
    Quantity,
    Section,
    Text,
    shorthand,
)

_TEMPERATURE: Final = re.compile(r"([0-9]{2,3})C")
# Less is a forgotten unit: `volume: 200` counts bytes.
_LEAST: Final = 2**30
# Below, GPUs at work are hot all the time; above, they have slowed down or switched off.
_COOLEST, _HOTTEST = 50, 110
# source: values of kube-prometheus-stack and of the grafana chart through the years
_KNOWN_PASSWORDS: Final = frozenset(
    {"admin", "grafana", "password", "prom-operator", "strongpassword"}
)

Period = Annotated[str, Field(pattern=PERIOD)]
"""A time with its unit, as Prometheus takes it: 30d, 12h."""


def _degrees(text: str) -> str:
    found = _TEMPERATURE.fullmatch(text)
    if found is None or not _COOLEST <= int(found[1]) <= _HOTTEST:
        raise ValueError(
            f"is no temperature between {_COOLEST}C and {_HOTTEST}C; write one, such as 85C"
        )
    return text


def _some(amount: str) -> str:
    if value(amount) < _LEAST:
        raise ValueError("is less than anything here can do with; write for example 200Gi")
    return amount


Room = Annotated[Quantity, AfterValidator(_some)]
"""An amount of memory or disk that is no slip of the pen."""


class VolumeArgs(Section):
    """The disk that each Prometheus keeps its metrics on."""

    size: Room = "200Gi"
    """Its size. A month of 100 GPUs with their nodes takes about 10Gi."""

    storage_class: DnsLabel | None = None
    """Name of a StorageClass that exists; by default the cluster's default one. Not one of a
    storage system that is watched by these very metrics."""


class SmtpArgs(Section):
    """The mail server that takes alerts."""

    host: Annotated[str, Field(pattern=HOST_AND_PORT)]
    """Its name and port: mail.example.org:587."""

    sender: Text
    """The address that alerts come from."""

    user: Text | None = None
    """The account to log in with; without it nobody logs in."""

    password: Annotated[SecretStr | None, Given("the mail account's password", needed=False)] = None
    """Its password."""


class SlackArgs(Section):
    """A channel in Slack, or in a chat that takes Slack's webhooks."""

    url: Annotated[
        SecretStr | None, Given("an incoming webhook's address, from Slack", form="url")
    ] = None
    """Address of the incoming webhook. Who has it can post, so it is a secret."""

    channel: Text
    """The channel: #gpu-alerts."""


class WebhookArgs(Section):
    """A service of your own that takes Alertmanager's JSON."""

    url: Annotated[SecretStr | None, Given("the address that takes the alerts", form="url")] = None
    """Its address. A secret, because such addresses hold tokens."""


class PagerDutyArgs(Section):
    """A service in PagerDuty."""

    routing_key: Annotated[
        SecretStr | None, Given("the integration key (Events API v2), from PagerDuty")
    ] = None
    """Integration key of the service."""


class ReceiverArgs(Section):
    """Somebody who hears alerts, by one way or several."""

    name: DnsLabel
    """Name of the receiver, as `routes` and a tenant's `contact` write it."""

    email: tuple[Text, ...] = ()
    """Addresses that get mail. Needs `monitoring.smtp`."""

    slack: SlackArgs | None = None
    """A channel in Slack."""

    pagerduty: PagerDutyArgs | None = None
    """A service in PagerDuty."""

    webhook: WebhookArgs | None = None
    """A service of your own."""

    @property
    def is_reachable(self) -> bool:
        """Whether there is any way to it."""
        return bool(self.email or self.slack or self.pagerduty or self.webhook)


class RoutesArgs(Section):
    """Which receiver hears what. A tenant with a `contact` hears of its own matters instead."""

    critical: Text | None = None
    """Receiver of what somebody must see to now: lost GPUs, nodes that are gone. By default the
    first receiver."""

    warning: Text | None = None
    """Receiver of what somebody must see to soon. By default the first receiver."""

    info: Text | None = None
    """Receiver of what is good to know: full quotas, idle GPUs. By default nobody."""


def _not_known_to_all(password: SecretStr | None) -> SecretStr | None:
    if password is not None and password.get_secret_value().lower() in _KNOWN_PASSWORDS:
        raise ValueError(
            "is a password that charts and tutorials come with; remove it, and make one by "
            "gpu-cluster secrets init"
        )
    return password


class GrafanaArgs(Section):
    """Grafana, which shows the dashboards."""

    admin_password: Annotated[
        SecretStr | None, AfterValidator(_not_known_to_all), Generated("password")
    ] = None
    """Password of the account admin."""


class MonitoringArgs(Section):
    """Prometheus, Alertmanager and Grafana, with alerts on GPUs and dashboards."""

    namespace: DnsLabel = "monitoring"
    """Namespace of all of it."""

    retention: Period = "30d"
    """How long metrics are kept. Where the volume is full earlier, the oldest go first."""

    volume: Annotated[
        VolumeArgs | None,
        BeforeValidator(
            lambda raw: None if raw is None else _VOLUME(raw),
            json_schema_input_type=str | VolumeArgs | None,
        ),
    ] = None
    """The disk of each of the two Prometheus: its size (`200Gi`) or an object. Without it metrics
    are lost with their pod. They are no users' data: `pulumi destroy` takes them."""

    memory: Room = "8Gi"
    """The most memory that each Prometheus may take; half of it is set aside for it."""

    control_plane: bool = False
    """Whether etcd, scheduler, controller-manager and kube-proxy are watched. Only where they
    answer on the nodes' addresses, which neither kubeadm nor RKE2 makes them do by default."""

    tenant_metrics: bool = False
    """Whether pods of tenants are read that carry the label gpu-cluster.io/metrics: "true", at
    their port `metrics`. Their networks are opened to Prometheus by that much."""

    gpu_temperature: Annotated[str, AfterValidator(_degrees)] = "85C"
    """Temperature of a GPU above which there is an alert."""

    idle_after: Period = "2h"
    """How long a GPU may lie idle in a pod before the tenant is told."""

    smtp: SmtpArgs | None = None
    """The mail server. Needed where a receiver has `email`."""

    receivers: tuple[ReceiverArgs, ...] = ()
    """Who hears alerts."""

    routes: RoutesArgs = Field(default_factory=RoutesArgs)
    """Which of them hears what."""

    grafana: GrafanaArgs = Field(default_factory=GrafanaArgs)
    """The dashboards."""

    @property
    def degrees(self) -> int:
        """`gpu_temperature` as a number."""
        return int(self.gpu_temperature.removesuffix("C"))

    @property
    def heard_by(self) -> dict[str, str]:
        """The receiver of each severity that anybody hears, most severe first."""
        first = self.receivers[0].name if self.receivers else None
        chosen = {
            "critical": self.routes.critical or first,
            "warning": self.routes.warning or first,
            "info": self.routes.info,
        }
        return {severity: name for severity, name in chosen.items() if name is not None}


_VOLUME: Final = shorthand("size", str, wanted="a size such as 200Gi")
