"""ENGINE=download: the official Pulumi release, for machines with open internet.

Nothing here could be tried where this was written: no download of a release was possible.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.engine.cache import engine_cache
from gpu_cluster_sandbox.engine.pins import (
    COMMAND_PROVIDER,
    COMMAND_PROVIDER_VERSION,
    KUBERNETES_PROVIDER,
    LANGUAGE_HOST,
    PULUMI,
)
from gpu_cluster_sandbox.engine.progress import run_logged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def download(report: Callable[[str], None]) -> dict[str, Path]:
    """Pulumi, its Python language host and the two providers, by Pulumi's own installers."""
    # Imported here: the automation API alone takes half a second.
    from pulumi.automation import PulumiCommand  # noqa: PLC0415
    from semver import VersionInfo  # noqa: PLC0415

    root = engine_cache() / f"pulumi-release-{PULUMI.version}"
    report(f"downloading Pulumi {PULUMI.version} ...")
    PulumiCommand.install(root=str(root), version=VersionInfo.parse(PULUMI.version))
    bin_dir = root / "bin"
    programs = {name: bin_dir / name for name in (PULUMI.name, LANGUAGE_HOST)}
    plugins = {
        KUBERNETES_PROVIDER.name: KUBERNETES_PROVIDER.version,
        COMMAND_PROVIDER: COMMAND_PROVIDER_VERSION,
    }
    for name, version in plugins.items():
        package = name.removeprefix("pulumi-resource-")
        run_logged(
            f"downloading {name} {version}",
            [str(bin_dir / "pulumi"), "plugin", "install", "resource", package, version],
            cwd=root,
            environment={**os.environ, "PULUMI_HOME": str(root)},
            log=engine_cache() / "logs" / f"{name}.log",
            report=report,
        )
        programs[name] = root / "plugins" / f"resource-{package}-v{version}" / name
    return programs
