"""
Is MassBayes as accurate as its paper says?
===========================================

Aryal and Ting (2013) estimate likelihoods by the mass of random regions, on several columns at once and without bins
(:class:`~unnaive.MassBayes`). They compare it with averaged n-dependence estimators and other generative classifiers.
This page draws their Table 3 and Figure 4 as we measured them, beside what they printed.

The figures are those of the stored record, which ``unnaive reproduce massbayes --full`` makes anew.
"""

# %%
# The record is a JSON file of tables in Markdown. A cell such as ``95.15 (95.63, -0.48)`` holds the measured accuracy
# in percent, then the printed one and the difference.

import json
from pathlib import Path

import pandas as pd

from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for, set_title, write

root = next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "docs" / "papers").is_dir())
record = json.loads((root / "docs" / "papers" / "massbayes.json").read_text(encoding="utf-8"))


def read_table(start):
    """The table whose title starts with these words: its measured and its printed figures."""
    lines = next(table["markdown"] for table in record["tables"] if table["title"].startswith(start)).splitlines()
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    cells = pd.DataFrame(rows, columns=heads).set_index("")
    figures = [cells.apply(lambda column, of=of: column.str.extract(of)[0]) for of in (r"^([\d.]+)", r"\(([\d.]+)")]
    return [frame.astype(float) for frame in figures]


measured, printed = read_table("Table 3")
baselines, _ = read_table("Baselines for Table 3")
measured[["MassBayes", "A2DE", "NB-Disc"]]

# %%
# Ten-fold cross-validation on the nine data sets of the paper that there are. A filled dot is our figure, a ring is the
# printed one; the cross is a random forest on the same folds, which the paper does not have.

ax = axes_for(None, (4.2, 4.5))
places = range(len(measured))
for name, color in (("NB-Disc", PALETTE[2]), ("A2DE", PALETTE[1]), ("MassBayes", PALETTE[0])):
    ax.plot(measured[name], places, "o", color=color, markersize=6, label=name)
    ax.plot(printed[name], places, "o", color=color, markersize=11, fillstyle="none")
ax.plot(baselines["random forest"], places, "x", color=FAINT, markersize=7, label="random forest")
ax.set_yticks(places, measured.index)
ax.set_ylim(len(measured) - 0.5, -0.5)
ax.set_xlabel("accuracy in %; dot: measured, ring: printed")
add_grid(ax)
look = {"frameon": False, "fontsize": 9, "labelcolor": INK, "columnspacing": 1.0, "handletextpad": 0.1}
set_title(ax, "Table 3: accuracy by data set")
ax.figure.legend(loc="outside lower center", ncols=4, **look)

# %%
# Wave shows the idea best. Its classes are two waves, one above the other. The first column says nothing alone, so a
# discretizer that looks at one column at a time makes one bin of it, and every model on bins is left with the second.
# MassBayes needs no bins and takes both columns together.
#
# On CoverType, with 581,012 rows, the default of 5,000 rows per tree (ψ in the paper) is not enough. More rows per tree
# help; the last dot has all rows of a training fold.

found, expected = read_table("Figure 4: accuracy")
sizes = [500, 1_000, 5_000, 20_000, 50_000]
rows = [f"ψ = {size:,}, t = 100" for size in sizes]

ax = axes_for(None, (4.2, 3.2))
ax.plot(sizes, found.loc[rows, "accuracy"], "o-", color=PALETTE[0], markersize=6)
ax.plot(sizes, expected.loc[rows, "accuracy"], "o", color=PALETTE[0], markersize=11, fillstyle="none")
ax.plot(522_910, found.loc["MassBayes'", "accuracy"], "o", color=PALETTE[0], markersize=6)
ax.plot(522_910, expected.loc["MassBayes'", "accuracy"], "o", color=PALETTE[0], markersize=11, fillstyle="none")
forest = found.loc["random forest", "accuracy"]
ax.axhline(forest, color=FAINT, linestyle="--", linewidth=1.4)
write(ax, "random forest, all rows", (500, forest), (0, -4), ha="left", va="top", color=FAINT)
ax.set_xscale("log")
ax.set_xlabel("rows per tree; dot: measured, ring: printed")
ax.set_ylabel("accuracy in %")
add_grid(ax)
set_title(ax, "Figure 4: accuracy on CoverType, by rows per tree")

# %%
# The answer
# ----------
#
# Yes. The dots of MassBayes are within a point of the rings in Table 3, and it wins against every other generative
# classifier of the paper on more data sets than it loses. CoverType is the farthest off, with trees as the paper
# describes them. With ``strict_region=True`` the figures come within two tenths of a point, so that is presumably what
# the authors computed: :doc:`/massbayes` has the details.
#
# A random forest, which the paper does not have, is ahead of MassBayes on five of eight tables, by three points on
# Magic04. MassBayes is for those who want a likelihood, a stream, or trees whose cost does not grow with the rows. All
# tables are in :doc:`/papers`.
