"""Kueue: admission by quota, with the default scheduler placing the pods."""
