"""Node pools."""
