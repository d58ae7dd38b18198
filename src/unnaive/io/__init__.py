"""Files of all formats, data sets by name, labels and fingerprints."""
