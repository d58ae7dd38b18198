"""scikit-learn's classifiers as baselines, for mixed tables and for documents."""
