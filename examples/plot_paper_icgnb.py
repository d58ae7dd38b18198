"""
Is instance-graph naive Bayes better than its rivals?
=====================================================

Li et al. (2025) connect all rows by a tree of shortest edges, learn new columns from it and give old and new columns to
weighted naive Bayes (:class:`~unnaive.InstanceGraphNB`, ICGNB). They report the highest accuracy of six relatives of
naive Bayes over 24 data sets. This page draws a graph, then the averages as we measured them beside what they printed.
"""

# %%
# First the idea, on iris. All rows are joined by a tree whose edges are as short as possible, without regard to labels.
# Edges between rows of different classes are drawn thick.

import json
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from unnaive import InstanceGraphNB
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for, set_title

iris = load_iris()
model = InstanceGraphNB(random_state=0).fit(iris.data, iris.target)
edges = model.graph_.edges_
same = iris.target[edges[:, 0]] == iris.target[edges[:, 1]]
print(f"{same.sum()} of {len(edges)} edges join rows of the same class")

ax = axes_for(None, (4.2, 3.4))
points = PCA(2).fit_transform(model.graph_.attributes_)
for kind, color, width in ((same, FAINT, 0.8), (~same, INK, 1.8)):
    ax.plot(*points[edges[kind]].transpose(2, 1, 0), color=color, linewidth=width, zorder=1)
for k, (name, marker) in enumerate(zip(iris.target_names, "os^")):
    rows = points[iris.target == k]
    ax.plot(*rows.T, marker, color=PALETTE[k], markersize=4.5, label=name, zorder=2)
ax.set(xlabel="first principal component of the four columns", ylabel="second")
ax.legend(frameon=False, fontsize=9, labelcolor=INK, handletextpad=0.1)
set_title(ax, "The graph of iris")

# %%
# Now the averages over 24 data sets, from the stored record, which ``unnaive reproduce icgnb --full`` makes anew. A
# cell such as ``78.64 (78.87, -0.23)`` holds the measured accuracy in percent, then the printed one and the difference.

root = next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "docs" / "papers").is_dir())
record = json.loads((root / "docs" / "papers" / "icgnb.json").read_text(encoding="utf-8"))


def read_table(start):
    """The table whose title starts with these words: its measured and its printed figures."""
    lines = next(table["markdown"] for table in record["tables"] if table["title"].startswith(start)).splitlines()
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    cells = pd.DataFrame(rows, columns=heads).set_index("")
    figures = [cells.apply(lambda column, of=of: column.str.extract(of)[0]) for of in (r"^([\d.]+)", r"\(([\d.]+)")]
    return [frame.astype(float) for frame in figures]


measured, printed = (frame.loc["average"] for frame in read_table("Accuracy in %"))
beside = read_table("Not in the paper")[0].loc["average", ["ICGNB, means", "A2DE", "logistic", "forest", "boosting"]]

# %%
# The paper's models are blue, with a ring for the printed average. Gray is what the paper leaves out: ICGNB with means
# instead of random draws, which is our default, and what else one would try.

averages = pd.concat([measured, beside]).sort_values()
ax = axes_for(None, (4.2, 3.6))
for place, (name, average) in enumerate(averages.items()):
    ax.plot(average, place, "o", color=PALETTE[0] if name in measured else FAINT, markersize=6)
    if name in printed:
        ax.plot(printed[name], place, "o", color=PALETTE[0], markersize=11, fillstyle="none")
ax.set_yticks(range(len(averages)), averages.index)
ax.set_xlabel("mean accuracy in %; dot: measured, ring: printed")
add_grid(ax)
set_title(ax, "Mean accuracy over 24 data sets")

# %%
# The answer
# ----------
#
# The average of ICGNB itself holds: 78.64 measured, 78.87 printed. That it is the best of the six depends on how one
# reads AG-NBC: as we built it, it is a little ahead; with a softmax it is behind with nearly all of ten seeds. With the
# authors' seed, Wilcoxon's test cannot tell ICGNB from WANBIA, which is ICGNB without a graph. Means instead of random
# draws add more than a point. A random forest is nearly four points better still.
#
# So take ICGNB if you want a Gaussian naive Bayes that uses rows without labels, and compare it before you do: see
# :doc:`/gallery/plot_few_labels_graph`. All tables are in :doc:`/papers`, and :doc:`/instance-graph` discusses them.
