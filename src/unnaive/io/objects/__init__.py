"""Files of objects: JSON, as a list or one object per line."""
