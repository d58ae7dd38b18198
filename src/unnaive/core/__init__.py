"""What every estimator is built on: input checks, the base classes, posteriors and Shapley values."""
