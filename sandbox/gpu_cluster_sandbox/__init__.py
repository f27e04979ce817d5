"""A simulated GPU cluster on loopback."""
