"""Bayesian classifiers that drop the naive independence assumption."""
