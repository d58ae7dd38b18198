"""The graph auto-encoder against a dense one in PyTorch (time, memory, gradients), and on 19,020 rows."""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import read_numbers
from benchmarks.report import number, text_table
from benchmarks.timing import progress, progress_done

LEARNING_RATE = 0.01
DENSE = "PyTorch, dense"
NO_TORCH = "PyTorch is not installed, so the comparison was skipped: pip install torch"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=SECTIONS, help="run one section only (default: all)")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs (default: 3)")
    parser.add_argument("--epochs", type=int, default=500, help="training epochs (default: 500)")
    parser.add_argument("--threads", type=int, default=2, help="threads per process (default: 2)")


def run(args: argparse.Namespace) -> int:
    for section in [args.only] if args.only else SECTIONS:
        print(SECTIONS[section](args), end="\n\n", flush=True)
    return 0


def compare_with_torch(args: argparse.Namespace) -> str:
    """Segment: each training in its own process, to measure its peak memory."""
    contenders = ["exact", "sampled", *([DENSE] if _has_torch() else [])]
    rows = _trained("keel_segment", 19, contenders, args)
    return _table("Segment", rows, args) + ("" if _has_torch() else f"\n{NO_TORCH}")


def many_rows(args: argparse.Namespace) -> str:
    """Magic: all pairs of 19,020 rows, or pairs within groups; a dense matrix of all pairs would take 1.4 GiB."""
    return _table("Magic", _trained("keel_magic", 10, ["sampled", "exact"], args), args)


def gradients(args: argparse.Namespace) -> str:
    """Hand-derived gradients against PyTorch's, for the same parameters and noise, in float64."""
    if not _has_torch():
        return NO_TORCH
    import torch

    from unnaive.instance_graph.graph_convolution import join
    from unnaive.instance_graph.vgae import loss_and_gradients, start
    from unnaive.instance_graph.vgae_decoder import Decoder

    X, edges = _rows_and_tree("keel_segment", 19)
    random = np.random.default_rng(0)
    graph, parameters, noise = join(edges, len(X)), start(X.shape[1], random), random.normal(size=X.shape)
    with Decoder(graph.edges, *X.shape, X.dtype) as decoder:
        loss, ours = loss_and_gradients(X, graph, parameters, noise, decoder)
    theirs = [torch.tensor(part, requires_grad=True) for part in parameters]
    dense = _DenseAutoencoder(torch.tensor(X), edges)
    their_loss = dense.loss(theirs, torch.tensor(noise))
    their_loss.backward()
    worst = max(np.abs(g - p.grad.numpy()).max() / np.abs(g).max() for g, p in zip(ours, theirs))
    return (
        f"Segment, float64: largest difference from PyTorch's gradient, relative to the largest entry of its array: "
        f"{worst:.1e}; relative difference of the loss: {abs(loss - their_loss.item()) / loss:.1e}"
    )


class _DenseAutoencoder:
    """The textbook version: n × n matrices and automatic differentiation."""

    def __init__(self, X: Any, edges: np.ndarray) -> None:
        import torch

        n = len(X)
        self.target = torch.eye(n, dtype=X.dtype)
        self.target[edges[:, 0], edges[:, 1]] = self.target[edges[:, 1], edges[:, 0]] = 1
        scale = self.target.sum(dim=1) ** -0.5
        self.convolution = scale[:, None] * self.target * scale
        self.X = X
        ones = self.target.sum()
        self.one_weight, self.scale = (n**2 - ones) / ones, n**2 / (2 * (n**2 - ones))

    def encode(self, parameters: list[Any]) -> tuple[Any, Any]:
        hidden_weights, hidden_bias, mean_weights, mean_bias, spread_weights, spread_bias = parameters
        hidden = (self.convolution @ (self.X @ hidden_weights) + hidden_bias).relu()
        mean = self.convolution @ (hidden @ mean_weights) + mean_bias
        return mean, self.convolution @ (hidden @ spread_weights) + spread_bias

    def loss(self, parameters: list[Any], noise: Any) -> Any:
        from torch.nn.functional import binary_cross_entropy_with_logits

        mean, log_spread = self.encode(parameters)
        Z = mean + noise * log_spread.exp()
        entropy = binary_cross_entropy_with_logits(Z @ Z.T, self.target, pos_weight=self.one_weight)
        divergence = (1 + 2 * log_spread - mean**2 - (2 * log_spread).exp()).sum(dim=1).mean() * 0.5 / len(Z)
        return self.scale * entropy - divergence


def _has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def _rows_and_tree(name: str, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    from unnaive.instance_graph.minimum_spanning_tree import spanning_tree

    X, _ = read_numbers(name, n_columns)
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return X, spanning_tree(X).edges


def _trained(name: str, n_columns: int, contenders: list[str], args: argparse.Namespace) -> dict[str, list[dict]]:
    """The measurements of each contender's processes, run alternately."""
    measured: dict[str, list[dict]] = {contender: [] for contender in contenders}
    free = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npz"
        X, edges = _rows_and_tree(name, n_columns)
        np.savez(file, X=X.astype(np.float32), edges=edges)
        for turn in range(args.repeats):
            for contender in contenders:
                progress(f"{name}: {contender}, turn {turn + 1} of {args.repeats}")
                command = [sys.executable, "-m", "benchmarks.graph", str(file), contender]
                command += [str(args.epochs), str(args.threads)]
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=free).stdout
                measured[contender].append(json.loads(output))
    progress_done()
    return measured


def _table(name: str, measured: dict[str, list[dict]], args: argparse.Namespace) -> str:
    ours = np.median([turn["seconds"] for turn in measured["exact"]])
    rows = []
    for contender, turns in measured.items():
        seconds = float(np.median([turn["seconds"] for turn in turns]))
        cpu_seconds = float(np.median([turn["cpu"] for turn in turns]))
        rows.append(
            [
                contender,
                number(seconds),
                f"{number(seconds / ours)}x",
                number(cpu_seconds),
                number(1000 * seconds / args.epochs),
                number(float(np.median([turn["peak"] - turn["before"] for turn in turns])) / 2**10),
                f"{turns[0]['loss']:.4f}",
            ]
        )
    header = ["decoder", "seconds", "", "CPU s", "ms per epoch", "MiB", "final loss"]
    return (
        f"{name}, {args.epochs} epochs, float32, {args.threads} threads, wall clock, medians of {args.repeats} "
        "processes; peak memory is relative to the memory in use after a small training\n"
    ) + text_table(header, rows)


def _train_ours(X: np.ndarray, edges: np.ndarray, n_epochs: int, n_threads: int, decoder: str) -> float:
    from unnaive.instance_graph.graph_convolution import join
    from unnaive.instance_graph.vgae import train

    trained = train(
        X,
        join(edges, len(X), X.dtype),
        n_epochs=n_epochs,
        learning_rate=LEARNING_RATE,
        decoder=decoder,
        random=np.random.default_rng(0),
        n_jobs=n_threads,
    )
    return float(trained.losses[-1, 1])


def _train_dense(X: np.ndarray, edges: np.ndarray, n_epochs: int, n_threads: int) -> float:
    import torch

    from unnaive.instance_graph.vgae import start

    torch.set_num_threads(n_threads)
    torch.manual_seed(0)
    dense = _DenseAutoencoder(torch.tensor(X), edges)
    first = start(X.shape[1], np.random.default_rng(0), X.dtype)
    parameters = [torch.tensor(part, requires_grad=True) for part in first]
    adam = torch.optim.Adam(parameters, lr=LEARNING_RATE)
    for _ in range(n_epochs):
        adam.zero_grad()
        loss = dense.loss(parameters, torch.randn(X.shape))
        loss.backward()
        adam.step()
    return loss.item()


def _train_alone(file: str, contender: str, n_epochs: int, n_threads: int) -> None:
    """Train in this process and print the time and memory it took."""
    with np.load(file) as stored:
        X, edges = stored["X"], stored["edges"]

    def training(rows: np.ndarray, some: np.ndarray, epochs: int) -> float:
        if contender == DENSE:
            return _train_dense(rows, some, epochs, n_threads)
        return _train_ours(rows, some, epochs, n_threads, contender)

    path = np.column_stack([np.arange(299), np.arange(1, 300)])
    training(np.ascontiguousarray(X[:300]), path, 2)  # imports and compiles
    before = _reset_peak_memory()
    clock, cpu_clock = time.perf_counter(), time.process_time()
    loss = training(X, edges, n_epochs)
    seconds, cpu_seconds = time.perf_counter() - clock, time.process_time() - cpu_clock
    peak = _kibibytes("VmHWM")
    print(json.dumps({"seconds": seconds, "cpu": cpu_seconds, "before": before, "peak": peak, "loss": loss}))


def _reset_peak_memory() -> int:
    """Reset the peak resident memory (Linux only) and return the resident memory, in KiB.

    Without a reset, the high-water mark of imports and compilation hides small trainings. So does reused memory, which
    is therefore returned to the system first.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _kibibytes("VmRSS")


def _kibibytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "gradients": gradients,
    "segment": compare_with_torch,
    "magic": many_rows,
}

if __name__ == "__main__":
    _train_alone(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
