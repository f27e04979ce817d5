"""The base of every section of the site file, and the field types they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.kubernetes_names import SUBDOMAIN_WORDS, is_subdomain
from pulumi_gpu_cluster.quantity import canonical, value

_Value = TypeVar("_Value")


class Section(BaseModel):
    """A closed, frozen part of the site file: an unknown key is an error, never a silence."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        arbitrary_types_allowed=False,
    )

    open_keys: ClassVar[tuple[str, str]] = ("", "")
    """Of a section with keys that the site's author chooses: a pattern that they match, and what
    they are."""

    open_as: ClassVar[str] = ""
    """Under which key they are one mapping, for languages whose types need all keys named."""


def _frozen(mapping: Mapping[str, _Value]) -> Mapping[str, _Value]:
    return MappingProxyType(dict(mapping))


# A frozen model still carries a mutable dict; this one does not.
FrozenMap = Annotated[
    Mapping[str, _Value],
    AfterValidator(_frozen),
    PlainSerializer(dict, return_type=dict[str, Any]),
]


def shorthand(key: str, *kinds: type, wanted: str) -> Callable[[object], object]:
    """A validator that takes one value for the section which holds just that value.

    Args:
        key: The key of the section that the value is for.
        kinds: Types of such a value.
        wanted: What the value is, for the one who wrote something else.
    """

    def expanded(raw: object) -> object:
        if isinstance(raw, kinds) and not isinstance(raw, bool):
            return {key: raw}
        if isinstance(raw, (Mapping, Section)):
            return cast("object", raw)
        raise ValueError(f"neither {wanted} nor a mapping; write {wanted}")

    return expanded


def no_truth_value(raw: object) -> object:
    """Keeps `count: true` from being one: pydantic would take it as a number."""
    if isinstance(raw, bool):
        raise ValueError("a truth value is no whole number; write digits only")  # noqa: TRY004
    return raw


_MOST: Final = 2**31 - 1

Whole = Annotated[int, Field(ge=0, le=_MOST), BeforeValidator(no_truth_value)]
"""A whole number from 0 up."""

Positive = Annotated[int, Field(ge=1, le=_MOST), BeforeValidator(no_truth_value)]
"""A whole number from 1 up."""

Text = Annotated[str, Field(min_length=1)]
"""A text that is not empty."""

DNS_LABEL: Final = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
KUBERNETES_VERSION: Final = r"^v?[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(\+rke2r[0-9]{1,3})?$"
HTTPS_URL: Final = r"^https://[^\s/?#@]+(/[^\s?#]*)?$"
# No dash in front: ssh would take it for an option.
LOGIN: Final = r"^[^\s:/-][^\s:/]*$"
WORD: Final = r"^\S+$"
# source: kernel.org, IFNAMSIZ: a device's name has up to 15 characters
INTERFACE: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$"
DRIVER_VERSION: Final = r"^[0-9]{3}\.[0-9]{1,4}(\.[0-9]{1,4})?$"
DRIVER_OR_BRANCH: Final = r"^[0-9]{3}(\.[0-9]{1,4}){0,2}$"
COMPUTE_CAPABILITY: Final = r"^[1-9][0-9]?\.[0-9]$"
CUDA_VERSION: Final = r"^[1-9][0-9]?\.[0-9]{1,2}$"
# source: Linux, kernel/params.c; NVIDIA driver README, options of the module nvidia
MODULE_OPTION: Final = r"^NVreg_[A-Za-z0-9]{1,60}=[^\s\"']{1,200}$"
KERNEL: Final = r"^[0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,3}-[A-Za-z0-9][A-Za-z0-9._-]{0,60}$"
# source: distribution/reference v0.6.0 regexp.go: a domain with or without port, then a path
IMAGE_REGISTRY: Final = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9._-]+)*$"
HOST_PATH: Final = r"^/[A-Za-z0-9][A-Za-z0-9._/-]{0,250}$"
SYSTEMD_UNIT: Final = r"^[A-Za-z0-9][A-Za-z0-9:_.@-]{0,200}\.service$"
DURATION: Final = r"^[1-9][0-9]{0,4}[smh]$"
# source: prometheus/common model.ParseDuration: a duration ends at 292 years
PERIOD: Final = r"^([1-9][0-9]{0,4}[mhd]|[1-9][0-9]{0,3}w|[1-9][0-9]?y)$"
HOST_AND_PORT: Final = r"^[^\s:/@]+:[0-9]{1,5}$"
SLURM_TIME: Final = r"^([0-9]{1,3}-)?([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
SLURM_NAME: Final = r"^[A-Za-z0-9][-A-Za-z0-9_]{0,62}$"
UNIX_NAME: Final = r"^[a-z_][-a-z0-9_]{0,31}$"
OCTAL_MODE: Final = r"^[0-7]{3,4}$"
CHUNK_SIZE: Final = r"^[0-9]{1,9}[kKmM]?$"
BEEGFS_PATH: Final = r"^(/[A-Za-z0-9._-]+)+$"

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        DNS_LABEL: "a DNS label: up to 63 lower-case letters, digits and inner dashes",
        KUBERNETES_VERSION: "a Kubernetes version with its patch: 1.36.3, or v1.36.3+rke2r1",
        HTTPS_URL: "an address that begins with https://, without user, query or fragment",
        LOGIN: "the name of an account: one word, without colon and slash, for example ops",
        WORD: "one word, without blanks",
        PERIOD: "a time with its unit, for example 30d or 12h",
        HOST_AND_PORT: "a host with its port, for example mail.example.org:587",
        INTERFACE: "a network interface of the host, for example ens1f0np0",
        DRIVER_VERSION: "an exact driver version, for example 580.173.02",
        DRIVER_OR_BRANCH: 'a driver version or its branch, in quotes: "580.95.05" or "580"',
        COMPUTE_CAPABILITY: 'a compute capability, major and minor, in quotes: "10.0"',
        CUDA_VERSION: 'a CUDA version, major and minor, in quotes: "13.0"',
        MODULE_OPTION: "an option of the module nvidia, as NVreg_<name>=<value>",
        KERNEL: "a kernel as uname -r prints it, for example 6.8.0-60-generic",
        IMAGE_REGISTRY: "a registry with or without a path, and no scheme: registry.example/mirror",
        HOST_PATH: "a path from the host's root on, for example /run/containerd/containerd.sock",
        SYSTEMD_UNIT: "a systemd service, for example kubelet.service",
        DURATION: "a time in seconds, minutes or hours, such as 90s, 30m or 2h",
        UNIX_NAME: "a Unix user's name: up to 32 lower-case letters, digits, dashes, underscores",
        SLURM_TIME: "days-hours:minutes:seconds, for example 2-00:00:00",
        SLURM_NAME: "a name of up to 63 letters, digits, dashes and underscores",
        OCTAL_MODE: 'access rights in quotes, for example "2770"',
        CHUNK_SIZE: "a size as BeeGFS writes it, for example 512k",
        BEEGFS_PATH: "a path from the file system's root on, for example /k8s/lab",
    }
)
"""What each pattern of this package wants, as a person would say it."""


def _hostlist(text: str) -> str:
    expand(text)
    return text


Hostlist = Annotated[str, AfterValidator(_hostlist)]
"""Names of nodes in Slurm's notation, such as `gpu[01-12]`."""


def _object_name(text: str) -> str:
    if not is_subdomain(text):
        raise ValueError(f"is no name of an object; write {SUBDOMAIN_WORDS}")
    return text


ObjectName = Annotated[str, AfterValidator(_object_name)]
"""Name of an object in Kubernetes that is there already."""

Login = Annotated[str, Field(pattern=LOGIN)]
"""An account on a machine."""

Word = Annotated[str, Field(pattern=WORD)]
"""A text without blanks."""

DnsLabel = Annotated[str, Field(pattern=DNS_LABEL)]
"""A DNS label (RFC 1123): what Kubernetes takes as the name of a namespace."""

Duration = Annotated[str, Field(pattern=DURATION)]
"""A time as Go reads it, with one unit: 90s, 30m, 2h."""

Quantity = Annotated[str, BeforeValidator(canonical, json_schema_input_type=str | float)]
"""A Kubernetes quantity such as `256Gi` or `500m`, in its canonical spelling."""

_MEBI: Final = 2**20


def _with_unit(amount: str) -> str:
    if value(amount) < _MEBI:
        raise ValueError(
            "is less than a mebibyte: without a unit it counts bytes; add it, for example 20Gi"
        )
    return amount


Bytes = Annotated[Quantity, AfterValidator(_with_unit)]
"""An amount of memory or disk whose unit was not forgotten: at least a mebibyte."""

_SECONDS: Final = MappingProxyType({"s": 1, "m": 60, "h": 3600})


def seconds(duration: str) -> int:
    """How many seconds a duration is."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]
