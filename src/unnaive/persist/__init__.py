"""Model files: fitted classifiers as data that runs no code."""

from unnaive.persist.content_hash import content_hash
from unnaive.persist.model_file import ModelFileError, SavedModel, load, read_manifest, save

__all__ = ["ModelFileError", "SavedModel", "content_hash", "load", "read_manifest", "save"]
