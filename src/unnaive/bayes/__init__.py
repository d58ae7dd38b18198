"""Naive Bayes and the table models that relax its independence assumption."""
