"""The page on which one asks a fitted model "what if": its tables, columns and rows as JSON, and the page itself."""
