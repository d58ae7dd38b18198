"""Frequent subgraphs against gspan-mining (time and patterns), closed subgraphs and subgraph tensors."""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import data_file
from benchmarks.report import number, text_table
from benchmarks.timing import cpu, progress, progress_done

#: Data set, number of graphs (None: all), minimum support, maximum number of edges.
CASES = (("tu_NCI1", None, 0.1, 6), ("nci_aid1_balanced", 1000, 0.1, 6), ("ptc_graphs", None, 0.1, 6))

# Printing and data frames of gspan-mining, which need an outdated pandas, are skipped. Patterns with the maximum number
# of edges are not extended; gspan-mining itself can only limit vertices.
_PEER = """
import json, sys, time, types
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda: None)
from gspan_mining.gspan import gSpan

file, min_support, max_edges = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
found = []

class Miner(gSpan):
    def _report_size1(self, graph, support):
        pass

    def _report(self, projected):
        found.append(([(edge.frm, edge.to, edge.vevlb) for edge in self._DFScode], self._support))

    def _subgraph_mining(self, projected):
        if len(self._DFScode) < max_edges:
            super()._subgraph_mining(projected)
            return
        self._support = self._get_support(projected)
        if self._support >= self._min_support and self._is_min():
            self._report(projected)

miner = Miner(file, min_support)
miner._read_graphs()
miner._read_graphs = lambda: None
start = time.process_time()
miner.run()
json.dump({"seconds": time.process_time() - start, "found": found}, sys.stdout)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", choices=[name for name, *_ in CASES], help="run one data set only (default: all)")
    parser.add_argument("--support", type=float, help="minimum support, as a share of the graphs (default: 0.1)")
    parser.add_argument(
        "--gspan", metavar="PYTHON", default=sys.executable, help="interpreter with gspan-mining (default: this one)"
    )
    parser.add_argument("--no-peer", action="store_true", help="skip gspan-mining, which is slow")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs (default: 3)")


def run(args: argparse.Namespace) -> int:
    rows = [_row(args, *case) for case in CASES if args.data in (None, case[0])]
    progress_done()
    header = ["data", "graphs", "frequent", "mine s", "gspan-mining s", "ratio", "same", "closed", "fit s", "tensors s"]
    print("Frequent subgraphs in a tenth of the graphs, up to six edges; one thread, CPU seconds")
    print(text_table(header, rows))
    print(f"Peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:,.0f} MiB")
    return 0


def _row(args: argparse.Namespace, name: str, n_graphs: int | None, share: float, max_edges: int) -> list[str]:
    from unnaive import SubgraphTensor
    from unnaive.graphs.frequent_subgraphs import frequent_subgraphs
    from unnaive.graphs.labelled_graph import read_graphs

    graphs = read_graphs(read_graphs_of(name)[:n_graphs])
    share = args.support or share
    progress(f"{name}: {len(graphs)} graphs")
    turns = [
        cpu(lambda: frequent_subgraphs(graphs, share, max_edges=max_edges, only_closed=False))
        for _ in range(args.repeats + 1)  # the first compiles
    ]
    seconds, patterns = float(np.median([taken for taken, _ in turns[1:]])), turns[0][1]
    model = SubgraphTensor(min_support=share, max_edges=max_edges)
    model.fit_transform(graphs[:20])  # compiles the rest
    fit, _ = cpu(lambda: model.fit(graphs))
    transform, _ = cpu(lambda: model.transform(graphs))
    peer = ["-", "-", "-"]
    if not args.no_peer:
        progress(f"{name}: gspan-mining")
        min_support = int(np.ceil(share * len(graphs) - 1e-9))
        theirs, found = _run_peer(args.gspan, graphs, min_support, max_edges)
        same = found == sorted((str(pattern), pattern.support) for pattern in patterns)
        peer = [number(theirs), f"{number(theirs / seconds)}x", "yes" if same else "NO"]
    counts = [str(len(graphs)), str(len(patterns)), number(seconds)]
    return [name, *counts, *peer, str(model.n_closed_), number(fit), number(transform)]


def read_graphs_of(name: str) -> list[dict[str, Any]]:
    """The graphs of `name`.jsonl.gz."""
    with gzip.open(data_file(f"{name}.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in lines]


def _run_peer(python: str, graphs: list[Any], min_support: int, max_edges: int) -> tuple[float, list[tuple[str, int]]]:
    """CPU seconds of gspan-mining, and its patterns in our notation with their supports."""
    from unnaive.graphs.frequent_subgraphs import frequent_subgraphs
    from unnaive.graphs.labelled_graph import Graph

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graphs.txt"
        with file.open("w") as out:
            for place, graph in enumerate(graphs):
                out.write(f"t # {place}\n")
                out.writelines(f"v {k} {label}\n" for k, label in enumerate(graph.labels))
                out.writelines(f"e {i} {j} {label}\n" for i, j, label in graph.edges)
            out.write("t # -1\n")
        command = [python, "-c", _PEER, str(file), str(min_support), str(max_edges)]
        result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    vertex_labels = {str(label): label for graph in graphs for label in graph.labels}
    edge_labels = {str(edge[2]): edge[2] for graph in graphs for edge in graph.edges}
    found = []
    for code, count in result["found"]:
        labels = {0: code[0][2][0]} | {j: names[2] for i, j, names in code if i < j}
        edges = [(i, j, edge_labels[names[1]]) for i, j, names in code]
        graph = Graph([vertex_labels[labels[k]] for k in range(len(labels))], edges)
        whole = frequent_subgraphs([graph], 1, max_edges=None)  # its one closed subgraph is itself
        found.append((str(whole[0]), count))
    return result["seconds"], sorted(found)
