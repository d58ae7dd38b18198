"""How a row is represented: transformers from raw columns to codes."""
