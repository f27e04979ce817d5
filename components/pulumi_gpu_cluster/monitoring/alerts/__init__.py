"""Alerts and the recordings that they and the dashboards build on."""
