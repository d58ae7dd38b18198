"""The folder of tables, and the command that works on them."""

from tests.cli.conftest import folder, run  # noqa: F401 - fixtures
