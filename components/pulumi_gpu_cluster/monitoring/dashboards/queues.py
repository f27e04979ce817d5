"""Jobs that wait, per queue."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from pulumi_gpu_cluster.monitoring.dashboards.panels import choice, curves, frame, number
from pulumi_gpu_cluster.monitoring.promql import QUEUE_JOBS
from pulumi_gpu_cluster.scheduling.choice import Scheduler

_LEGEND = "{{queue}}"


def queues(uid: str, scheduler: Scheduler) -> Dashboard:
    """What waits and what runs in the queues of Kueue or Volcano."""

    def jobs(state: str) -> str:
        return f'{QUEUE_JOBS}{{queue=~"$queue", state="{state}"}}'

    board = frame(uid, "Queues", "Jobs that wait and jobs that run, by queue.")
    board = (
        board.with_variable(choice("queue", "Queue", QUEUE_JOBS))
        .with_panel(
            number(
                "Waiting", "Jobs that wait for their turn.", f"sum({jobs('waiting')})", columns=2
            )
        )
        .with_panel(number("Running", "Jobs that run.", f"sum({jobs('running')})", columns=2))
        .with_panel(
            curves(
                "Jobs waiting",
                "Of each queue.",
                {_LEGEND: f"sum by (queue) ({jobs('waiting')})"},
                stacked=True,
            )
        )
        .with_panel(
            curves(
                "Jobs running",
                "Of each queue.",
                {_LEGEND: f"sum by (queue) ({jobs('running')})"},
                stacked=True,
            )
        )
        .with_row(Row("Why and how long"))
    )
    return _kueue(board) if scheduler == "kueue" else _volcano(board, jobs("starting"))


def _kueue(board: Dashboard) -> Dashboard:
    of = 'job="kueue", cluster_queue=~"$queue"'
    return board.with_panel(
        curves(
            "Jobs waiting, by reason",
            "inadmissible: tried and found not to fit until something ends. active: not tried yet.",
            {
                "{{cluster_queue}} {{status}}": "sum by (cluster_queue, status) "
                f"(kueue_pending_workloads{{{of}}})"
            },
        )
    ).with_panel(
        curves(
            "Time until admission",
            "Half of the jobs waited less than this, and nine of ten.",
            {
                f"{{{{cluster_queue}}}} {percent} %": f"histogram_quantile({percent / 100}, "
                "sum by (cluster_queue, le) (rate(kueue_admission_wait_time_seconds_bucket"
                f"{{{of}}}[1h])))"
                for percent in (50, 90)
            },
            unit="s",
        )
    )


def _volcano(board: Dashboard, starting: str) -> Dashboard:
    of = 'job="volcano-scheduler", queue_name=~"$queue"'
    return board.with_panel(
        curves(
            "Jobs let in whose pods are not there yet",
            "Of each queue. Where it stays up, pods do not fit on the nodes.",
            {_LEGEND: f"sum by (queue) ({starting})"},
        )
    ).with_panel(
        curves(
            "GPUs in use and deserved",
            "Above what it deserves a queue has borrowed; others may take that back.",
            {
                "{{queue_name}} {{resource}} in use": "volcano_queue_allocated_scalar_resources"
                f"{{{of}}} / 1000",
                "{{queue_name}} {{resource}} deserved": "volcano_queue_deserved_scalar_resources"
                f"{{{of}}} / 1000",
            },
        )
    )
