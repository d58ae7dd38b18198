"""The papers' experiments, one file a paper: their protocols on real data, printed figures beside measured ones."""
