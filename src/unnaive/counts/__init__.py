"""Additive statistics of coded rows, and the base of the classifiers that count."""
