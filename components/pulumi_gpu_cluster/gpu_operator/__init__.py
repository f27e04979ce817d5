"""Gpu operator."""
