"""
Who decides in PooledBayes?
===========================

:class:`~unnaive.PooledBayes` asks experts of four kinds: small Bayesian networks (super-parents), trees, a linear and
a quadratic discriminant. All of them are counts or sums, so that the answer of an expert for a training row *without
that row* costs one subtraction. These answers decide how much each expert counts. Do different tables need different
experts?

The data are four tables that come with scikit-learn.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from unnaive import PooledBayes
from unnaive.show.style import GRID, INK, PALETTE, add_grid, axes_for, write

loaders = {"breast cancer": load_breast_cancer, "digits": load_digits, "iris": load_iris, "wine": load_wine}
tables = {name: load(return_X_y=True) for name, load in loaders.items()}
models = {name: PooledBayes(random_state=0).fit(X, y) for name, (X, y) in tables.items()}
experts = {"super_parents": "super-parents", "trees": "trees", "linear": "linear", "quadratic": "quadratic"}
looks = dict(zip([*experts, "pool"], [*zip(PALETTE, "os^v"), (INK, "D")]))

# %%
# How good each expert is
# -----------------------
#
# The log loss of each expert by leave-one-out, without any refit; the axis is logarithmic, and left is better. No
# expert is the best everywhere, and the pool is as good as the best of them or better (its own figure is slightly
# optimistic, see below).

ax = axes_for(None, (4.4, 3.4))
for place, model in enumerate(models.values()):
    losses = {name: model.leave_one_out_scores_[name]["log_loss"] for name in looks}
    ax.hlines(place, min(losses.values()), max(losses.values()), color=GRID, linewidth=1.0, zorder=1)
    for name, loss in losses.items():
        color, marker = looks[name]
        ax.plot(loss, place, marker, color=color, markersize=8, label="" if place else experts.get(name, name))
ax.set_yticks(range(len(models)), models)
ax.set(xscale="log", xlabel="leave-one-out log loss", ylim=(len(models) - 0.5, -0.5))
ax.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
ax.minorticks_off()
add_grid(ax, "x")
legend = {"frameon": False, "fontsize": 9, "labelcolor": INK, "loc": "lower center", "bbox_to_anchor": (0.4, 1.0)}
ax.legend(**legend, ncols=3, columnspacing=1.2)

# %%
# How much each one counts
# ------------------------
#
# The weights are exponents of the experts' posteriors: 1 takes an expert at its word, 0 ignores it, and an expert that
# is too sure gets less. They solve one convex problem, so that an expert that only repeats others gets nothing, however
# good it is. (Single columns have small weights of their own, ``column_weights_``, which are left out here.)

ax = axes_for(None, (4.4, 3.0))
for place, model in enumerate(models.values()):
    left = 0.0
    for name in experts:
        weight = model.expert_weights_[name]
        ax.barh(place, weight, 0.6, left, color=looks[name][0], alpha=0.85, label="" if place else experts[name])
        if weight > 0.12:
            write(ax, f"{weight:.2f}", (left + weight / 2, place))
        left += weight
ax.set_yticks(range(len(models)), models)
ax.set(xlabel="weights of the experts", ylim=(len(models) - 0.5, -0.5))
ax.legend(**legend, ncols=4, columnspacing=1.0, handlelength=1.0)

# %%
# Can I believe the score it gives itself?
# ----------------------------------------
#
# The score of the pool is slightly optimistic, because its weights have seen the rows. Beside it, the accuracy in five
# folds, whose models learn from a fifth fewer rows:

for name, (X, y) in tables.items():
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    measured = cross_val_score(PooledBayes(random_state=0), X, y, cv=folds)
    print(f"{name:14} own {models[name].leave_one_out_score_:.3f}   folds {np.mean(measured):.3f}")

# %%
# **Answer.** The table does. Discriminants lead on the small tables of measurements, trees on the pixels, and nobody
# had to know that beforehand. What the pool gives for its own accuracy is near what folds measure, for the price of a
# single fit. :doc:`/guide/pooled` describes the experts, and :doc:`/ablation` what each is worth over 64 tables.
