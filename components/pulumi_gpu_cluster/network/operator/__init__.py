"""NVIDIA Network Operator."""
