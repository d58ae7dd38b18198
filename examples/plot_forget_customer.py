"""
A customer wants to be forgotten: must I train again?
=====================================================

A customer withdraws consent, and every row of hers has to leave the model: not only the table, also what the model
has learned from it. A model of counts can subtract. But is the result really the model that never saw her?

The orders below are made up, with a customer who stands out: she alone buys drones, and returns every one.
"""

import copy
import textwrap
import warnings

import numpy as np
import pandas as pd

from unnaive import NaiveBayes
from unnaive.persist import content_hash
from unnaive.show.style import INK, PALETTE, add_grid, axes_for

rng = np.random.default_rng(0)
n = 1500
orders = pd.DataFrame(
    {
        "customer": rng.integers(100, 200, n).astype(str),
        "article": rng.choice(["shirt", "shoes", "book", "lamp"], n),
        "price": rng.gamma(4, 12, n).round(2),
    }
)
is_worn = orders["article"].isin(["shirt", "shoes"])
chance = np.where(is_worn & (orders["price"] > 50), 0.6, np.where(is_worn, 0.25, 0.05))
orders["returned"] = np.where(rng.random(n) < chance, "returned", "kept")
hers = pd.DataFrame({"customer": "777", "article": "drone", "price": rng.uniform(95, 180, 120).round(2)})
orders = pd.concat([orders, hers.assign(returned="returned")], ignore_index=True)

columns = ["article", "price"]
is_hers = orders["customer"] == "777"
withdrawn, others = orders[is_hers], orders[~is_hers]

# %%
# Forget her rows
# ---------------
#
# With ``bins="exact"`` a model keeps what it needs to be exact: each distinct row once, in a few bytes. Two models are
# the same if their content hashes are: the hash covers everything that a model file would hold.

before = NaiveBayes(bins="exact").fit(orders[columns], orders["returned"])
model = copy.deepcopy(before)
model.forget(withdrawn[columns], withdrawn["returned"])
never_saw_her = NaiveBayes(bins="exact").fit(others[columns], others["returned"])

print("the model that never saw her:", content_hash(model) == content_hash(never_saw_her))
print("articles before:", *before.encoder_.categories_[0])
print("articles after: ", *model.encoder_.categories_[0])

# %%
# What subtracting alone leaves behind
# ------------------------------------
#
# By default a model keeps no rows, only counts within bins that were learned once (``bins="fixed"``). Her rows are
# subtracted from the counts, and her article is gone too. But where numbers were cut is not a count, and the model says
# so:

fixed = NaiveBayes().fit(orders[columns], orders["returned"])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fixed.forget(withdrawn[columns], withdrawn["returned"])
print(textwrap.fill(str(caught[0].message), 60))

models = {"before": before, "after, bins fixed": fixed, "after, bins exact": model, "never saw her": never_saw_her}
for name, of_model in models.items():
    print(f"{name:18} price cut at", *of_model.encoder_.discretizer_.cut_points_[0].round(2))

# %%
# What the models say of a lamp, by its price. Before, her drones cast suspicion on every dear article. With fixed bins
# most of it is gone, but the cuts that her drones have caused remain: the step on the right is one of them. With exact
# bins the line lies on that of the model that never saw her.

prices = np.linspace(5, 175, 500)
lamps = pd.DataFrame({"article": "lamp", "price": prices})
looks = {
    "before": {"color": PALETTE[1], "linewidth": 1.8},
    "after, bins fixed": {"color": PALETTE[4], "linewidth": 2.4},
    "after, bins exact": {"color": PALETTE[0], "linewidth": 4.0},
    "never saw her": {"color": INK, "linewidth": 1.2, "linestyle": "--"},
}
ax = axes_for(None, (4.4, 3.6))
for name, of_model in models.items():
    ax.plot(prices, of_model.predict_proba(lamps)[:, 1], label=name, **looks[name])
ax.set(xlabel="price of a lamp", ylabel="probability that it is returned", ylim=(0, None))
add_grid(ax, "y")
ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="upper left")

# %%
# **Answer.** No: ``forget`` takes her rows out, and with ``bins="exact"`` what is left is, to the last bit, the model
# that never saw her: counts, articles and cut points. On the command line ``unnaive forget --proof`` writes a
# certificate with the hashes before and after, which ``unnaive verify`` checks against a fit on the remaining rows.
# :doc:`/forgetting` says which models do so, and what it costs.
