"""
How does a counting model cut my numbers?
=========================================

Naive Bayes, AODE and the networks count values, so a column of numbers is first cut into bins. Nobody chooses how
many: :class:`~unnaive.MDLDiscretizer` cuts where the classes change, and only if a cut saves more bits than it takes
to describe (Fayyad and Irani's MDL criterion). What does that look like, and is it better than bins of equal width?

The data are two tables that come with scikit-learn: tumours, malignant or benign, and wines of three growers.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import KBinsDiscretizer

from unnaive import MDLDiscretizer, NaiveBayes
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for, write

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
malignant = (y == 0).to_numpy()
discretizer = MDLDiscretizer().fit(X, malignant)
cuts = dict(zip(X.columns, discretizer.cut_points_))

# %%
# Three columns, three answers
# ----------------------------
#
# Dashed lines are cut points, and the figure above each bin is the share of its rows that is malignant: the counts
# behind it are all that naive Bayes keeps of the column. *Worst area* is cut into four bins, *mean texture* into two.
# *Texture error* looks the same in both classes, so that no cut pays, and the column has a single bin: it has no say.

figure, panels = plt.subplots(3, figsize=(4.4, 5.2), layout="constrained")
figure.set_facecolor("none")
for ax, name in zip(panels, ["worst area", "mean texture", "texture error"]):
    axes_for(ax, (4.4, 1.7))
    column = X[name].to_numpy()
    edges = np.linspace(column.min(), np.quantile(column, 0.97), 33)
    by_class = [column[~malignant], column[malignant]]
    ax.hist(by_class, edges, stacked=True, color=PALETTE[:2], alpha=0.8)
    top = 1.45 * ax.get_ylim()[1]
    bounds = [edges[0], *cuts[name], edges[-1]]
    for low, high in pairwise(bounds):
        inside = (column > (low if low > edges[0] else -np.inf)) & (column <= (high if high < edges[-1] else np.inf))
        write(ax, f"{malignant[inside].mean():.0%}", ((low + high) / 2, 0.9 * top))
    ax.vlines(cuts[name], 0, top, color=INK, linestyle="--", linewidth=1.0)
    ax.set(xlabel=name, ylabel="rows", ylim=(0, top), xlim=(edges[0], edges[-1]))
write(panels[0], "malignant", (1500, 62), color=PALETTE[1], fontweight="bold")
write(panels[0], "benign", (1500, 40), color=PALETTE[0], fontweight="bold")

# %%
# Is it better than bins of equal width?
# --------------------------------------
#
# Few bins of equal width blur the classes; many leave each bin with too few rows to count. In between lies a good
# number, which differs from table to table. Here is the log loss of naive Bayes in ten folds, for every number of bins
# (points) and for MDL bins, which are learned from the training part of each fold (line).


def log_loss(discretizer, table):
    """Mean log loss of naive Bayes over ten folds."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return -cross_val_score(NaiveBayes(discretizer=discretizer), *table, cv=folds, scoring="neg_log_loss").mean()


tables = {"wine": load_wine(return_X_y=True), "breast cancer": (X.to_numpy(), y)}
numbers = [2, 3, 5, 7, 10, 20, 50]
figure, panels = plt.subplots(2, figsize=(4.4, 4.6), layout="constrained", sharex=True)
figure.set_facecolor("none")
for ax, (name, table) in zip(panels, tables.items()):
    axes_for(ax, (4.4, 2.3))
    equal = [log_loss(KBinsDiscretizer(n, encode="ordinal", strategy="uniform"), table) for n in numbers]
    mdl = log_loss(None, table)
    ax.plot(numbers, equal, "o-", color=FAINT, linewidth=1.2)
    ax.axhline(mdl, color=PALETTE[0], linewidth=1.8)
    write(ax, "MDL bins", (52, mdl), (0, 8), color=PALETTE[0], ha="right", fontweight="bold")
    ax.set(xscale="log", ylim=(0, 1.15 * max(*equal, mdl)), ylabel=f"log loss, {name}")
    add_grid(ax, "y")
    print(f"{name}: MDL {mdl:.3f}, equal width {min(equal):.3f} to {max(equal):.3f}")
panels[1].set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
panels[1].minorticks_off()
panels[1].set_xlabel("bins of equal width")

# %%
# **Answer.** A column is cut where the classes change, and not at all where they do not. On the wines this beats every
# number of equal bins that was tried, with nothing to tune. On the tumours all of them have a lower log loss: 30
# columns repeat each other there, naive Bayes is far too sure, and sharper bins make it surer still. The remedy is a
# model that knows of these dependences (:doc:`/gallery/plot_tan_structure`) more than other bins. They are one argument
# away, though: ``NaiveBayes(discretizer=KBinsDiscretizer(5, encode="ordinal", strategy="uniform"))``.
