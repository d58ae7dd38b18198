"""Kill a service at random moments while clients ask, teach and make it forget: what was acknowledged must be there.

``python -m tests.serve.kills --minutes 10`` runs until the time is up, then compares the service with a model that is
fitted on the acknowledged rows, by content hash, and prints what it did and the memory of the service.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import numpy as np
import pandas as pd

from tests.serve.client import Process
from tests.serve.tables import fit, objects, rows, write_model
from unnaive.persist import content_hash, load

N_FIRST = 200
SHARES = {"predict": 0.90, "learn": 0.08, "forget": 0.02}


class Run:
    """Clients of one service, the rows that it has acknowledged, and what happened."""

    def __init__(self, folder, seed):
        self.rng = np.random.default_rng(seed)
        self.rows = objects(rows(seed, N_FIRST))
        self.service = Process(write_model(folder / "m.unnaive", pd.DataFrame(self.rows)), "--save-after", "0.2")
        self.done = dict.fromkeys([*SHARES, "retried", "replayed", "kills"], 0)
        self.lock = threading.Lock()
        self.up, self.over = threading.Event(), threading.Event()
        self.failures = []

    def client(self, seed):
        """One client after another request, until it is over."""
        rng = np.random.default_rng(seed)
        n_asked = 0
        try:
            while not self.over.is_set():
                verb = rng.choice(list(SHARES), p=list(SHARES.values()))
                n_asked += 1
                getattr(self, verb)(rng, f"{seed}-{n_asked}")
                with self.lock:
                    self.done[verb] += 1
        except Exception as problem:
            self.failures.append(repr(problem))
            self.over.set()

    def predict(self, rng, key):
        self.ask("/predict", objects(rows(int(rng.integers(2**32)), int(rng.integers(1, 4)))), None)

    def learn(self, rng, key):
        new = objects(rows(int(rng.integers(2**32)), int(rng.integers(1, 6))))
        self.ask("/learn", new, key)
        with self.lock:
            self.rows += new

    def forget(self, rng, key):
        with self.lock:  # nobody else may ask for the same rows
            places = sorted(rng.choice(len(self.rows), size=min(3, len(self.rows) - 50), replace=False), reverse=True)
            gone = [self.rows.pop(place) for place in places]
        self.ask("/forget", gone, key)

    def ask(self, path, content, key):
        """Ask until there is an answer, through any number of restarts."""
        headers = {} if key is None else {"idempotency-key": key}
        for attempt in range(1000):
            self.up.wait(60)
            try:
                answer = self.service.client.post(path, json=content, headers=headers)
            except (httpx.HTTPError, RuntimeError):  # it was killed, and its client closed
                with self.lock:
                    self.done["retried"] += 1
                time.sleep(0.01)
                continue
            if answer.status_code != 200:
                raise AssertionError(f"{path}, attempt {attempt + 1}: {answer.status_code} {answer.text}")
            with self.lock:
                self.done["replayed"] += "idempotency-replayed" in answer.headers
            return
        raise AssertionError(f"{path}: no answer")

    def memory(self):
        """Megabytes that the service takes."""
        text = self.service.client.get("/metrics").text
        found = [line for line in text.splitlines() if line.startswith("process_resident_memory_bytes ")]
        return round(float(found[0].split()[1]) / 2**20) if found else None

    def run(self, seconds, n_clients, between, n_kills=None):
        """Kill at random moments, ``between`` seconds apart on average, until the time or the kills are over."""
        ends = time.monotonic() + seconds
        self.service.start()
        memory = [self.memory()]
        self.up.set()
        seeds = self.rng.integers(2**32, size=n_clients).tolist()
        clients = [threading.Thread(target=self.client, args=(seed,)) for seed in seeds]
        for client in clients:
            client.start()
        while not self.over.wait(float(self.rng.exponential(between))):
            if time.monotonic() >= ends or self.done["kills"] == n_kills:
                break
            memory.append(self.memory())
            self.up.clear()
            self.service.kill()
            self.done["kills"] += 1
            self.service.start()
            self.up.set()
        self.over.set()
        for client in clients:
            client.join()
        return self.verdict(memory)

    def verdict(self, memory):
        """What happened, and whether the service and its file are what a fit on the acknowledged rows gives."""
        served = self.service.client.get("/model").json()
        memory.append(self.memory())
        code = self.service.stop()
        frame = pd.DataFrame(self.rows)
        expected = content_hash(fit(frame.assign(number=frame["number"].astype(float))))
        found = {"service": served["hash"], "file": content_hash(load(self.service.path).model)}
        problems = [*self.failures, *(f"the {what} differs" for what, hash_ in found.items() if hash_ != expected)]
        problems += [f"exit code {code}"] if code else []
        megabytes = {"first": memory[0], "largest": max(memory), "last": memory[-1]}
        return {
            **self.done,
            "rows": len(frame),
            "entries": served["entry"],
            "megabytes": megabytes,
            "problems": problems,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        found = Run(Path(folder), args.seed).run(60 * args.minutes, args.clients, between=5.0)
    print(json.dumps(found, indent=1))
    return 1 if found["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
