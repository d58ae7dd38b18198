"""The ``unnaive`` command."""
