"""Tenancy."""
