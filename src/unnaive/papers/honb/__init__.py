"""Ganiz et al. 2009: higher-order naive Bayes and support vector machines (HONB, HOSVM)."""
