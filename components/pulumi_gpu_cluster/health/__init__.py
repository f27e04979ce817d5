"""Health of GPU nodes: what the kernel says about faults, and the gate that new nodes pass."""
