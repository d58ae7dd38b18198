"""scikit-learn's classifiers as baselines, ready for mixed tables and for documents."""
