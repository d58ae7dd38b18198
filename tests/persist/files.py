"""What is in a model file."""

import io
import zipfile


def contents(path):
    """All bytes of a model file, its archives unpacked."""
    found = b""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            content = archive.read(member)
            found += contents(io.BytesIO(content)) if zipfile.is_zipfile(io.BytesIO(content)) else content
    return found
