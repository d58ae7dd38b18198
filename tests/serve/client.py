"""A service in this process or as one of its own, and requests to it."""

import asyncio
import os
import subprocess
import sys
import time

import httpx

from tests.serve.tables import TOKEN

HEADERS = {"authorization": f"Bearer {TOKEN}"}


class Here:
    """A service in this process."""

    def __init__(self, path, **settings):
        from unnaive.serve.app import Service, create_app
        from unnaive.serve.settings import Settings

        self.service = Service(path, Settings(**{"token": TOKEN, "threads": 2, **settings}))
        self.app = create_app(self.service)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.service.close()

    async def ask(self, method, path, **request):
        """A request, as a coroutine."""
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, **request)

    def request(self, method, path, headers=HEADERS, **request):
        """A request, with the token."""
        return asyncio.run(self.ask(method, path, headers=dict(headers), **request))

    def get(self, path, **request):
        """The JSON answer to a GET."""
        return self.request("GET", path, **request).json()

    def post(self, path, content=None, headers=(), **request):
        """A POST of objects, with the token."""
        if content is not None:
            request["json"] = content
        return self.request("POST", path, headers={**HEADERS, **dict(headers)}, **request)


class Process:
    """A service as a process of its own, on a free port of this machine."""

    def __init__(self, path, *options):
        self.path = path
        self.options = options

    def start(self):
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "unnaive", "serve", self.path.name, "--port", "0", "--json", *self.options]
        log = self.path.with_suffix(".log")
        environment = {**os.environ, "UNNAIVE_TOKEN": TOKEN}
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                command, cwd=self.path.parent, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        said = ""
        while not said.endswith("}\n"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(log.read_text()[-2000:])
            said += line
        self.url = httpx.Response(200, text=said).json()["url"]
        self.client = httpx.Client(base_url=self.url, headers=HEADERS, timeout=60, trust_env=False)
        while True:
            try:
                return self.client.get("/health").raise_for_status().json()
            except httpx.TransportError:
                time.sleep(0.02)

    def kill(self):
        """End it at once, as nothing can prevent."""
        self.process.kill()
        self._ended()

    def stop(self):
        """Tell it to stop, and return its exit code."""
        self.process.terminate()
        return self._ended()

    def _ended(self):
        code = self.process.wait(60)
        self.process.stdout.close()
        self.client.close()
        return code
