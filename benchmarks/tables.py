"""Table classifiers against WEKA, scikit-learn, scikit-bayes and pyAgrum, on the same integer codes.

Contenders run alternately, with one process and one thread each. Times are CPU seconds, medians over the repeats.
A ratio is the peer's time divided by ours: above 1 we are faster.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from benchmarks import cold, data, peers
from benchmarks.data import NoDataError, Table
from benchmarks.peers import OURS, MissingPeerError
from benchmarks.report import Results, number, percent, seconds, text_table
from benchmarks.timing import cpu, medians, progress, progress_done, take_turns, wall
from benchmarks.weka import Weka, WekaError

SECTIONS = (*data.TABLES, "mdl", "threads", "cold")
THREADED = ("AODE", "A2DE", "HNB")
MAX_THREADED_ROWS = 4_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--weka", metavar="JAR", help="also time WEKA; requires java and javac")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=[*SECTIONS, *OURS],
        metavar="NAME",
        help=f"only these sections ({', '.join(SECTIONS)}) and models ({', '.join(OURS)})",
    )
    parser.add_argument("--repeats", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--threads", action="store_true", help="also time two threads; requires two idle cores")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the raw results")


def run(args: argparse.Namespace) -> int:
    sections = [s for s in SECTIONS if s in args.only] or list(SECTIONS)
    if not args.threads and "threads" not in args.only:
        sections = [s for s in sections if s != "threads"]
    models = [m for m in OURS if m in args.only] or list(OURS)
    results = Results()
    with ExitStack() as stack:
        try:
            weka = stack.enter_context(Weka(args.weka)) if args.weka else None
        except WekaError as problem:
            print(f"WEKA: {problem}", file=sys.stderr)
            return 2
        print(", ".join(f"{name} {version}" for name, version in peers.versions().items()))
        print(f"WEKA {'from ' + Path(args.weka).name if weka else 'missing'}; {load()}\n")
        for section in sections:
            progress(f"{section}: preparing")
            try:
                if section in data.TABLES:
                    text = classifiers(data.TABLES[section](), models, weka, results, args.repeats)
                elif section == "mdl":
                    text = discretization(weka, results, args.repeats)
                elif section == "threads":
                    text = two_threads(models, results, args.repeats)
                else:
                    text = cold.run(results, args.repeats)
            except (NoDataError, ImportError) as problem:
                results.note_missing(f"{section}: {problem}")
                continue
            progress_done()
            print(f"{text}\n", flush=True)
    if args.json:
        figures = [{"figure": list(key), "value": value} for key, value in results.figures.items()]
        saved = {
            "versions": peers.versions(),
            "figures": figures,
            "raw": results.raw,
            "missing": results.missing,
        }
        args.json.write_text(json.dumps(saved, indent=1))
    progress_done()
    print("summary\n" + results.summary())
    for name in results.missing:
        print(f"missing: {name}")
    return 0


def load() -> str:
    """The load of the machine: it affects seconds and thread scaling more than ratios."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def classifiers(table: Table, models: list[str], weka: Weka | None, results: Results, repeats: int) -> str:
    """Each of our models against its peers."""
    if weka is not None and table.name in peers.A2DE_OVER_AODE:
        weka.load(table)
    rows, notes = [], []
    for model in models:
        others, missing = peers.opponents(model, table, weka)
        for name in missing:
            results.note_missing(name)
        try:
            contenders = [peers.ours(model, table), *others]
        except MissingPeerError as problem:
            results.note_missing(str(problem))
            contenders = others
        if not others:
            continue
        progress(f"{table.name}: {model} against {', '.join(c.name for c in others)}")
        try:
            turns = take_turns({c.name: c.run for c in contenders}, repeats)
        except WekaError as problem:
            results.note_missing(f"{table.name}, {model}: {problem}")
            continue
        rows += compare(table, model, contenders, turns, results)
        notes += [f"{model}, {c.name}: {c.note}" for c in contenders if c.note]
    header = ["model", "system", "fit s", "ratio", "predict s", "ratio", "rows/s", "accuracy %", "agree %"]
    return "\n".join([table.describe(), text_table(header, rows, n_left=2), *notes])


def compare(table: Table, model: str, contenders: list, turns: dict, results: Results) -> list[list[str]]:
    """One row for us and one per peer, with ratios and the share of rows that get the same class."""
    rows = []
    our_times: dict[str, float] = {}
    our_predictions = None
    for contender in contenders:
        times, predictions = medians(turns[contender.name]), contender.predictions()
        accuracy = agree = None
        if predictions is not None:
            accuracy = float(np.mean(predictions == table.y[: len(predictions)]))
        ratios = {}
        if contender.name == "unnaive":
            our_times, our_predictions = times, predictions
        else:
            ratios = {phase: times[phase] / our_times[phase] for phase in times if phase in our_times}
            for phase, ratio in ratios.items():
                results.figures[table.name, model, phase, contender.name] = ratio
            if predictions is not None and our_predictions is not None:
                agree = float(np.mean(predictions == our_predictions[: len(predictions)]))
        results.raw.append(
            {
                "section": table.name,
                "model": model,
                "system": contender.name,
                "seconds": turns[contender.name],
                "accuracy": accuracy,
                "agree": agree,
                "note": contender.note,
            }
        )
        row = [model, contender.name]
        for phase in ("fit", "predict"):
            row += [seconds(times.get(phase)), number(ratios.get(phase))]
        rows.append([*row, f"{len(table.X) / times['predict']:,.0f}", percent(accuracy), percent(agree)])
    return rows


def discretization(weka: Weka | None, results: Results, repeats: int) -> str:
    """MDL discretization of Letters against WEKA, and of Covertype's numeric columns."""
    from unnaive import MDLDiscretizer

    def ours(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
        return {"cpu": cpu(lambda: MDLDiscretizer().fit(X, y).transform(X))[0]}

    X, y = data.letters()
    contenders = {"unnaive": lambda: ours(X, y)}
    if weka is not None:
        weka.load_numbers("letters, numbers", X, y)
        contenders["WEKA"] = lambda: {"cpu": weka.discretize("letters, numbers")}
    else:
        results.note_missing("WEKA (--weka JAR)")
    progress("mdl: letters")
    turns = take_turns(contenders, max(repeats, 5), warmups=3)
    typical = {name: medians(phases)["cpu"] for name, phases in turns.items()}
    rows = [["letters", name, seconds(value), number(value / typical["unnaive"])] for name, value in typical.items()]
    results.raw.append({"section": "mdl", "model": "letters", "seconds": turns})
    if "WEKA" in typical:
        results.figures["mdl", "letters", "fit + transform", "WEKA"] = typical["WEKA"] / typical["unnaive"]
    progress("mdl: covertype")
    try:
        X, y = data.covertype()
    except NoDataError as problem:
        results.note_missing(f"mdl: {problem}")
    else:
        turns = take_turns({"unnaive": lambda: ours(X, y)}, min(repeats, 3), warmups=0)
        value = medians(turns["unnaive"])["cpu"]
        results.raw.append({"section": "mdl", "model": "covertype", "seconds": turns})
        results.figures["mdl", "covertype", "fit + transform", "seconds"] = value
        rows.append(["covertype", "unnaive", seconds(value), "-"])
    return "mdl: discretization, fit + transform\n" + text_table(["table", "system", "CPU s", "ratio"], rows, 2)


def two_threads(models: list[str], results: Results, repeats: int) -> str:
    """`n_jobs=2` against `n_jobs=1` in wall-clock time, on Letters repeated to take about two seconds."""
    table = data.TABLES["letters"]()
    rows = []
    for model in [m for m in models if m in THREADED]:
        progress(f"threads: {model}")
        try:
            one = OURS[model]().fit(table.X, table.y)
        except MissingPeerError as problem:
            results.note_missing(str(problem))
            continue
        two = OURS[model]().set_params(n_jobs=2).fit(table.X, table.y)
        one.predict_proba(table.X)
        times = int(np.ceil(2 / wall(lambda m=one: m.predict_proba(table.X))[0]))
        X = np.tile(table.X, (min(times, MAX_THREADED_ROWS // len(table.X)), 1))
        turns = take_turns(
            {
                "one": lambda m=one, X=X: {"wall": wall(lambda: m.predict_proba(X))[0]},
                "two": lambda m=two, X=X: {"wall": wall(lambda: m.predict_proba(X))[0]},
            },
            repeats,
            warmups=1,
        )
        first, second = medians(turns["one"])["wall"], medians(turns["two"])["wall"]
        both = np.median([time_two_processes(one, X) for _ in range(repeats)])
        results.raw.append(
            {"section": "threads", "model": model, "rows": len(X), "seconds": turns, "two processes": both}
        )
        results.figures["threads", model, "predict", "one thread"] = first / second
        results.figures["threads", model, "predict", "two processes"] = (first / second) / (2 * first / both)
        rows.append(
            [model, f"{len(X):,}", seconds(first), seconds(second), number(first / second), number(2 * first / both)]
        )
    header = ["model", "rows", "one thread s", "two threads s", "ratio", "two processes"]
    return (
        "threads: predict_proba on letters, wall clock; the last column is the speedup of two independent processes\n"
        + text_table(header, rows)
    )


def time_two_processes(model: object, X: np.ndarray) -> float:
    """Wall-clock seconds in which two independent processes each predict all rows."""
    context = multiprocessing.get_context("fork")
    ready, begin, end = context.Barrier(3), context.Barrier(3), context.Barrier(3)

    def work() -> None:
        ready.wait()
        begin.wait()
        model.predict_proba(X)
        end.wait()

    processes = [context.Process(target=work) for _ in range(2)]
    for process in processes:
        process.start()
    ready.wait()

    def race() -> None:
        begin.wait()
        end.wait()

    taken = wall(race)[0]
    for process in processes:
        process.join()
    return taken
