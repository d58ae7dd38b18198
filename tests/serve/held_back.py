"""A method that waits, for tests of what happens meanwhile."""

import threading


def held_back(monkeypatch, owner, name):
    """Let a method wait: an event that is set when it is called, and one to set for it to go on."""
    began, go = threading.Event(), threading.Event()
    method = getattr(owner, name)

    def late(*arguments):
        began.set()
        assert go.wait(60)
        return method(*arguments)

    monkeypatch.setattr(owner, name, late)
    return began, go
