"""Estimators that decide from what was counted."""
