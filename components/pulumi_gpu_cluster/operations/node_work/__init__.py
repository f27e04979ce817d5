"""Node work."""
