"""Kubernetes objects that several concerns make, each kind in one place."""
