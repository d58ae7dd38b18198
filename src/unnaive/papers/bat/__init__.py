"""Liu et al. 2013: a Bayesian classifier for tensorial data (Bat)."""
