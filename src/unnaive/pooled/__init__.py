"""PooledBayes and its experts."""
