"""LinkedToDocs: estimators whose HTML representation links to their page of the documentation."""

from __future__ import annotations

import os


class LinkedToDocs:
    """Where the environment variable UNNAIVE_DOCS names a site, link to the page of this class."""

    _doc_link_module = "unnaive"

    @property
    def _doc_link_template(self) -> str:
        site = os.environ.get("UNNAIVE_DOCS", "").rstrip("/")
        return f"{site}/api/{{estimator_name}}.html" if site else ""
