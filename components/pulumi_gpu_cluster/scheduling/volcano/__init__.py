"""Volcano: a scheduler with gangs and hierarchical queues of its own."""
