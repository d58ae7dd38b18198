"""Instance correlation graph-based naive Bayes (ICGNB)."""
