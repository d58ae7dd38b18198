"""Mixed tables as integer codes: categories, discretizers, the table encoder."""
