"""Slurm on the pools that it schedules."""
