"""
The world changes: how does my model keep up?
=============================================

Rows arrive in batches, and one day what they mean changes. A model of counts learns each batch in one pass
(``partial_fit``). If it never forgets, the old world outvotes the new one for a long time. If it forgets the batch
that leaves a window (``forget``), it is at every moment the model of the last few batches: each batch is added once
and subtracted once.

The stream is made up: 40 batches of 400 orders, in which the mark of fraud changes after batch 15.
"""

from collections import deque

import numpy as np
import pandas as pd

from unnaive import AODE
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for, write

N_BATCHES, N_ROWS, CHANGE = 40, 400, 15
rng = np.random.default_rng(0)


def next_batch(number):
    """Orders and whether they are fraud; at first the mark is a large sum at night, then a small one by card."""
    X = pd.DataFrame(
        {
            "payment": rng.choice(["card", "invoice", "transfer"], N_ROWS),
            "hour": rng.integers(0, 24, N_ROWS),
            "amount": rng.gamma(2, 40, N_ROWS).round(2),
        }
    )
    if number < CHANGE:
        marked = (X["amount"] > 80) & ((X["hour"] < 7) | (X["hour"] > 19))
    else:
        marked = (X["amount"] < 60) & (X["payment"] == "card")
    y = np.where(rng.random(N_ROWS) < np.where(marked, 0.9, 0.05), "fraud", "fine")
    return X, y


batches = [next_batch(number) for number in range(N_BATCHES)]

# %%
# Test, then learn
# ----------------
#
# Every batch is predicted first and learned afterwards, as in life. With ``bins="exact"`` the cut points of the numbers
# follow the rows in the window too.


def test_then_learn(window):
    """Accuracy on each batch of a model that remembers the last ``window`` batches, and the model in the end."""
    model, remembered, right = AODE(bins="exact"), deque(), []
    for X, y in batches:
        if remembered:
            right.append(np.mean(model.predict(X) == y))
        model.partial_fit(X, y, classes=["fine", "fraud"])
        remembered.append((X, y))
        if len(remembered) > window:
            model.forget(*remembered.popleft())
    return right, model


windows = {"everything": N_BATCHES, "last 10 batches": 10, "last 2 batches": 2}
results = {name: test_then_learn(window) for name, window in windows.items()}

ax = axes_for(None, (4.4, 3.6))
looks = {"everything": (FAINT, "--"), "last 10 batches": (PALETTE[0], "-"), "last 2 batches": (PALETTE[1], "-")}
for name, (right, _) in results.items():
    color, line = looks[name]
    ax.plot(range(2, N_BATCHES + 1), right, color=color, linestyle=line, linewidth=1.8, label=name)
ax.axvline(CHANGE + 0.5, color=INK, linewidth=1.0, linestyle=":")
write(ax, "the mark changes", (CHANGE, 0.72), ha="right")
ax.set(xlabel="batch", ylabel="accuracy, before learning from it")
add_grid(ax, "y")
ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower right")

# %%
# The mean accuracy while the world stands still (batches 6 to 15), and from the eleventh batch after the change on:

for name, (right, _) in results.items():
    print(f"{name:16} before {np.mean(right[4 : CHANGE - 1]):.3f}   after {np.mean(right[CHANGE + 9 :]):.3f}")

# %%
# A window is a refit
# -------------------
#
# After all this learning and forgetting, nothing has worn off: the model of the window gives the very probabilities of
# one that was fitted on the last ten batches alone.

X, y = pd.concat([X for X, _ in batches[-10:]]), np.concatenate([y for _, y in batches[-10:]])
refitted = AODE(bins="exact").fit(X, y)
print("equal:", np.array_equal(results["last 10 batches"][1].predict_proba(X), refitted.predict_proba(X)))

# %%
# **Answer.** Learn every batch, and forget the one that leaves the window. The model that remembers everything needs
# more new batches than it has old ones to come round. A short window recovers at once and is a little worse while
# nothing happens, because it has fewer rows: choose it by how fast your world changes. On the command line these are
# ``unnaive update`` and ``unnaive forget``.
