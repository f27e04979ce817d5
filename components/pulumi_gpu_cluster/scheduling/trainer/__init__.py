"""Kubeflow Trainer: distributed training as one object."""
