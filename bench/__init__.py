"""What `make bench` measures, always as ratios within one run: machines differ."""
