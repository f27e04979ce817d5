"""Values of the volcano chart: the scheduler's configuration, which the chart takes as text."""

from __future__ import annotations

from typing import Any

import yaml


def volcano_values() -> dict[str, Any]:
    """What differs from the chart's own values."""
    return {
        "custom": {
            "scheduler_config_override": yaml.safe_dump(scheduler_configuration(), sort_keys=False)
        }
    }


def scheduler_configuration() -> dict[str, Any]:
    """Actions and plugins of the scheduler.

    Guarantees hold by reclaiming, and that takes four things here that the chart's own
    configuration has otherwise (source: volcano-sh/volcano v1.15.1 pkg/scheduler):

    - `capacity`, which knows `deserved`, and never `proportion` beside it.
    - One tier. Victims are those on whom the first tier that names any agrees; in an earlier
      tier than `capacity`, `conformance` alone would name every pod.
    - No `overcommit`: a job that it holds back has no pods for which anything is reclaimed.
    - A gang may be broken by reclaiming. Otherwise a borrower keeps what it has borrowed for
      as long as all its pods are needed, which for training is always.
    """
    return {
        "actions": "enqueue, allocate, reclaim, backfill",
        "tiers": [
            {
                "plugins": [
                    {"name": "priority"},
                    {"name": "gang", "enablePreemptable": False, "enableReclaimable": False},
                    {"name": "conformance"},
                    {"name": "drf", "enablePreemptable": False},
                    {"name": "predicates"},
                    {"name": "capacity", "enableHierarchy": True},
                    {"name": "nodegroup"},
                    {"name": "nodeorder"},
                    {"name": "binpack"},
                ]
            }
        ],
    }
