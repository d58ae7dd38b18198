"""Benchmarks of unnaive against its peers, timed in the same run: `python -m benchmarks tables`."""
