"""Beegfs."""
