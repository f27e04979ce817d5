"""From a stack file or the engine's configuration to a checked site."""
