"""Li et al. 2025: instance correlation graph-based naive Bayes (ICGNB)."""
