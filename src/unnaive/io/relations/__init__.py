"""Files that declare their columns: ARFF and KEEL."""
