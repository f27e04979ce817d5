"""The companion command line: what the site file alone can answer, without the engine."""
