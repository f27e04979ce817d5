"""Metrics, alerts and dashboards of the cluster and its GPUs."""
