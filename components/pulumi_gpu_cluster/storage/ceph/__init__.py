"""Ceph."""
