"""Sparse tensors, the Bayesian tensor classifier (Bat) and support tensor machines."""
