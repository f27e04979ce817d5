"""Policies that judge any stack, whoever wrote its resources."""
