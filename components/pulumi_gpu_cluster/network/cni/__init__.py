"""CNIs that we install."""
