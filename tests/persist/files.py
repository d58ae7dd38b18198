"""What is in a model file, and files made of other parts."""

import hashlib
import io
import json
import zipfile

import numpy as np


def contents(path):
    """All bytes of a model file, its archives unpacked."""
    found = b""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            content = archive.read(member)
            found += contents(io.BytesIO(content)) if zipfile.is_zipfile(io.BytesIO(content)) else content
    return found


def parts_of(whole):
    """Manifest and payload of a file."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return json.loads(archive.read("manifest.json")), archive.read("model.skops")


def whole_of(manifest, payload, name="model.skops"):
    """The file of a manifest and a payload."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest if isinstance(manifest, bytes) else json.dumps(manifest))
        archive.writestr(name, payload)
    return buffer.getvalue()


def members_of(payload):
    """Schema and arrays of a payload."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(members.pop("schema.json")), members


def forged(whole, edit):
    """A file whose schema and arrays were edited, with the right hash."""
    manifest, payload = parts_of(whole)
    schema, members = members_of(payload)
    text = edit(schema, members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr("schema.json", text if isinstance(text, str) else json.dumps(schema))
    payload = buffer.getvalue()
    return whole_of(manifest | {"sha256": hashlib.sha256(payload).hexdigest()}, payload)


def as_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
