"""Refusal: a request that is not served, with the status and the sentence of its answer."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818
    """Why a request is not served; it has changed nothing."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = headers or {}
