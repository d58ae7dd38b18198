"""The lowest versions that pyproject.toml declares, as constraints for pip: ``python -m tests.lowest_versions``."""

import re
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest_versions(project):
    """Each declared lower bound, of the package and of its extras, as a line that pins it."""
    extras = project["optional-dependencies"].values()
    for requirement in [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]:
        if bounded := re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\w.]+)", requirement):
            yield "{}=={}".format(*bounded.groups())


if __name__ == "__main__":
    import tomllib  # of Python 3.11

    print(*dict.fromkeys(lowest_versions(tomllib.loads(PYPROJECT.read_text())["project"])), sep="\n")
