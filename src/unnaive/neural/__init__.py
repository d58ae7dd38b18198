"""Naive Bayes on small neural networks: AG-NBC and AE-NBC."""
