"""The project beside its peers, in one run, as ratios: `python -m benchmarks tables`."""
