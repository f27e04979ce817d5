"""The base of every section of the site file, and the field types they share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from pulumi_gpu_cluster.quantity import canonical

_Value = TypeVar("_Value")


class Section(BaseModel):
    """A closed, frozen part of the site file: an unknown key is an error, never a silence."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
        arbitrary_types_allowed=False,
    )


def _frozen(mapping: Mapping[str, _Value]) -> Mapping[str, _Value]:
    return MappingProxyType(dict(mapping))


# A frozen model still carries a mutable dict; this one does not.
FrozenMap = Annotated[
    Mapping[str, _Value],
    AfterValidator(_frozen),
    PlainSerializer(dict, return_type=dict[str, Any]),
]

DnsLabel = Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
"""A DNS label (RFC 1123): what Kubernetes takes as the name of a namespace."""

Quantity = Annotated[
    str, BeforeValidator(canonical, json_schema_input_type=Annotated[str, Field()] | int)
]
"""A Kubernetes quantity such as `256Gi` or `500m`, in its canonical spelling."""
