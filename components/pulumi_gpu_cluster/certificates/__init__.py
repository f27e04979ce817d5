"""Certificates for the webhooks of operators."""
