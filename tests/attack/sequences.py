"""Models that learn, forget, merge, fail, are interrupted and saved are those of a fit on the rows they hold."""

import copy
import os
import signal
import sys
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd

from tests.attack.tally import tally
from tests.attack.violation import Violation
from tests.counts.test_exact_bins import COLUMNS, COUNTING, KEEPING_ROWS, labelled, made, rows_of
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save

STEPS, INTERRUPTS = 12, 20
PACKAGE = os.sep + "unnaive" + os.sep
CATEGORICAL = ["text", "declared"]
# Probabilities of these are a continuous function of the counts; the others choose a structure, or drop rare parents.
CONTINUOUS = ("nb", "gnb", "kde-nb", "waode", "hnb")


def attempt(seed, folder):
    """One model through a sequence of changes."""
    machine = Machine(seed, folder)
    machine.fit()
    for _ in range(STEPS):
        tally["steps"] += 1
        step = str(machine.rng.choice(["partial_fit", "forget", "merge", "fail", "interrupt", "save_and_load"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = getattr(machine, step)()
        yield from (Violation(what, "\n".join(machine.story)) for what in found)
        if found:
            return


class Machine:
    """A model, the rows it holds, and what has happened to it."""

    def __init__(self, seed, folder):
        self.rng = np.random.default_rng(seed)
        self.folder = folder
        self.exact = bool(self.rng.random() < 0.6)
        self.weights = str(self.rng.choice(["none", "whole", "any"]))
        self.scale = int(self.rng.choice([1, 3, 9]))  # of any weights: the decimal logarithm of the largest
        names = KEEPING_ROWS if self.exact else COUNTING if self.weights != "any" else CONTINUOUS
        self.name = str(self.rng.choice(names))
        columns = COLUMNS[self.rng.integers(len(COLUMNS))] if self.exact else CATEGORICAL
        self.columns = [*columns, "label", "weight"]
        contract = "exact" if self.exact else "fixed"
        self.story = [f"{self.name}, bins {contract}, columns {columns}, weights {self.weights} {self.scale}"]
        self.n_sums, self.most = 0, 0.0

    def drawn(self, least, most):
        """Some rows, and a line of the story that makes them."""
        seed, n_rows = int(self.rng.integers(10**6)), int(self.rng.integers(least, most))
        rows = rows_of(seed, n_rows)[self.columns]
        if self.weights == "whole":
            rows["weight"] = self.rng.integers(1, 10**6, n_rows).astype(float)
        elif self.weights == "any":
            rows["weight"] = 10.0 ** self.rng.uniform(-self.scale, self.scale, n_rows)
        return rows, f"rows_of({seed}, {n_rows})"

    def new(self):
        return made(self.name) if self.exact else MODELS[self.name].make(bins="fixed")

    def of(self, rows):
        return labelled(rows, self.weights != "none")

    def fitted(self, rows):
        return self.new().fit(*self.of(rows))

    def fit(self):
        self.rows, words = self.drawn(6, 30)
        self.model = self.fitted(self.rows)
        self.story.append(f"fit {words}")
        self.counted(self.rows)

    def counted(self, rows):
        """Keep what bounds the rounding: how many weights were added or subtracted, and the largest sum."""
        self.n_sums += len(rows)
        self.most = max(self.most, self.rows["weight"].sum() if self.weights != "none" else len(self.rows))

    def change(self):
        """A change to make: words, a function of a model, the rows that change, and those held afterwards."""
        kind = self.rng.choice(["partial_fit", "forget", "merge"])
        if kind == "forget" and len(self.rows) > 3:
            gone = self.rng.permutation(len(self.rows))[: self.rng.integers(1, len(self.rows) - 1)]
            some = self.rows.iloc[gone]
            return (
                f"forget rows {gone.tolist()}",
                lambda model: model.forget(*self.of(some)),
                some,
                self.rows.drop(index=gone).reset_index(drop=True),
            )
        more, words = self.drawn(2, 12)
        after = pd.concat([self.rows, more], ignore_index=True)
        known = np.isin(more["label"], self.model.classes_)
        if kind == "merge" or not known.any():
            other = self.fitted(more)
            return f"merge a fit of {words}", lambda model: model.merge(other), more, after
        some = more[known]
        X, y, *weights = self.of(some)
        return (
            f"partial_fit {words} of known labels",
            lambda model: model.partial_fit(X, y, None, *weights),
            some,
            pd.concat([self.rows, some], ignore_index=True),
        )

    def apply(self, change):
        words, call, some, after = change
        self.story.append(words)
        try:
            call(self.model)
        except Exception as error:
            return [f"{words.split()[0]} raised {type(error).__name__}: {error}"[:150]]
        self.rows = after
        self.counted(some)
        return self.compare()

    def partial_fit(self):
        return self.apply(self.change())

    forget = merge = partial_fit

    def fail(self):
        """A call that is refused changes nothing."""
        before = self.seen(self.model)
        X, y, *_ = self.of(self.rows[:2])
        wrong = {
            "partial_fit an unknown label": lambda: self.model.partial_fit(X, ["unheard of"] * len(y)),
            "forget a row that was never counted": lambda: self.model.forget(
                X.assign(text="never"), y, [1e30] * len(y)
            ),
            "partial_fit other columns": lambda: self.model.partial_fit(X.assign(more=1), y),
            "merge another kind": lambda: self.model.merge(None),
        }
        words = str(self.rng.choice(list(wrong)))
        self.story.append(f"fail to {words}")
        try:
            wrong[words]()
        except (ValueError, TypeError):
            return [] if self.seen(self.model) == before else [f"{words} failed and changed the model"]
        return [] if "other columns" in words or "never" in words else [f"{words} was accepted"]

    def interrupt(self):
        """A change that is interrupted is made, or not."""
        words, call, some, after = self.change()
        began = time.perf_counter()
        call(copy.deepcopy(self.model))
        seconds = time.perf_counter() - began
        copied = copy.deepcopy(self.model)
        n_lines = interrupted_at(lambda: call(copied))
        old, new = self.seen(copy.deepcopy(self.model)), self.seen(copied)
        change = partial(call, self.model)
        moments = np.random.default_rng(self.rng.integers(2**32))  # what follows is the same, however many are drawn
        for _ in range(INTERRUPTS):
            tally["interrupts"] += 1
            if moments.random() < 0.5:
                line = 1 + n_lines - int(n_lines ** moments.uniform())  # most often near the end
                moment = f"before line {line} of {n_lines}"
                interrupted_at(change, line)
            else:
                after_seconds = float(moments.uniform(1e-6, 1.2 * seconds))
                moment = f"after {after_seconds:.6f} s of {seconds:.6f}"
                interrupted_after(change, after_seconds)
            seen = self.seen(self.model)
            if seen != old:
                break
        self.story.append(f"interrupt {moment}: {words}")
        if seen == old:
            call(self.model)
        if seen in (old, new):
            self.rows = after
            self.counted(some)
            return self.compare()
        half = ["old" if mine == one else "new" if mine == two else "neither" for mine, one, two in zip(seen, old, new)]
        return [f"an interrupted {words.split()[0]} leaves content {half[0]} and answers {half[1]}"]

    def save_and_load(self):
        self.story.append("save and load")
        save(self.model, self.folder / "m.unnaive")
        self.model = load(self.folder / "m.unnaive").model
        return self.compare()

    def seen(self, model):
        """What a model is, and what it answers."""
        return content_hash(model), model.predict_proba(self.of(self.rows)[0]).tobytes()

    def compare(self):
        """Violations of being the model of a fit."""
        expected, X = self.fitted(self.rows), self.of(self.rows)[0]
        if self.exact or self.weights != "any":
            if content_hash(self.model) != content_hash(expected):
                return ["another content hash than a fit on the same rows"]
            same = np.array_equal(self.model.predict_proba(X), expected.predict_proba(X))
            return [] if same else ["other answers than a fit on the same rows"]
        if self.model.classes_.tolist() != expected.classes_.tolist():
            return ["other classes than a fit on the same rows"]
        known = [[None if of is None else of.tolist() for of in m.encoder_.categories_] for m in (self.model, expected)]
        if known[0] != known[1]:
            return ["other categories than a fit on the same rows"]
        off = float(np.abs(self.model.predict_proba(X) - expected.predict_proba(X)).max())
        self.story.append(f"probabilities are off by {off:.2g}, rounding allows {self.rounding():.2g}")
        return [] if off <= self.rounding() else ["probabilities off by more than rounding"]

    def rounding(self):
        """How far probabilities may be off.

        A count is a sum of at most n weights, added and subtracted, none of whose partial sums is above W, so it is off
        by at most n * eps * W; where less than 1e-12 * W is left, the library sets it to zero, once per change. A
        factor of a score divides such counts, smoothed by 1 / c for c combinations of values (at most 100 here), so
        its logarithm is off by at most c times that, above and below. A model multiplies at most p + 1 factors over p
        columns, or averages such products; a weight of an average is one more factor. A probability moves by no more
        than the logarithms of the scores do.
        """
        off = (self.n_sums * np.finfo(float).eps + STEPS * 1e-12) * self.most
        return float(min(1.0, 2 * 100 * (len(CATEGORICAL) + 2) * off))


def interrupted_after(call, seconds):
    """Interrupt a call after some seconds, by a signal, unless it has ended."""

    fired = []

    def interrupt(*_):
        fired.append(True)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (KeyboardInterrupt, SystemError):  # Numba's way to tell of an interrupt in its own code
        if not fired:
            raise
    finally:
        signal.signal(signal.SIGALRM, before)


def interrupted_at(call, line=0):
    """Interrupt a call before it runs so many lines of the package, never if 0; how many lines it ran."""
    lines = []

    def trace(frame, event, _):
        if PACKAGE not in frame.f_code.co_filename:
            return None
        if event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == line:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return len(lines)
