"""
Which model is best on my table, and how sure can I be?
=======================================================

A comparison answers two questions at once: who has the best mean score, and which of the differences would survive
another draw of the folds. :func:`~unnaive.evaluate.compare.compare` measures all models on the same folds, everything
that a model learns being learned from the training part of each, and tests the differences. How is its result read?

The table is scikit-learn's breast cancer data; put your own frame and labels in its place.
"""

from sklearn.datasets import load_breast_cancer

from unnaive.evaluate.compare import compare
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
models = ["nb", "tan", "aode", "a2de", "pooled", "logistic", "forest"]
comparison = compare(models, {"tumours": (X, y)}, cv=10, random_state=0)

# %%
# The leaderboard
# ---------------
#
# After the mean stands its standard error over the folds. The last column is the verdict against the baseline, naive
# Bayes, by a paired t-test at 5 % whose variance is corrected for folds that share training rows.

verdicts = {(1, 0, 0): "better than nb", (0, 1, 0): "level with nb", (0, 0, 1): "worse than nb"}
for standing in comparison.leaderboard():
    verdict = verdicts[standing.wins, standing.ties, standing.losses]
    verdict = "" if standing.model == comparison.baseline else verdict
    print(f"{standing.model:9} {standing.score:.3f} ± {standing.spread:.3f}  {verdict}")

# %%
# Who is level with the best?
# ---------------------------
#
# A mean alone says little. Small dots are the folds, large ones the means. Blue models are level with the best, which
# has the diamond: the same test finds no difference at 5 %. Gray ones are worse.


def draw(metric, label):
    """Scores of all models by fold, the best mean first."""
    (data,), ranked = comparison.data, [standing.model for standing in comparison.leaderboard(metric)]
    best = ranked[0]
    ax = axes_for(None, (4.4, 3.0))
    for place, model in enumerate(ranked):
        color = PALETTE[0] if comparison.verdict(metric, data, model, best) == 0 else FAINT
        scores = comparison.fold_scores(metric, data, model)
        ax.plot(scores, [place] * len(scores), "o", color=color, markersize=4, alpha=0.5, markeredgewidth=0)
        ax.plot(scores.mean(), place, "D" if model == best else "o", color=color, markersize=9, markeredgecolor=INK)
    ax.set_yticks(range(len(ranked)), ranked)
    ax.set(xlabel=label, ylim=(len(ranked) - 0.5, -0.5))
    add_grid(ax, "x")


draw("accuracy", "accuracy on the folds: right is better")

# %%
# Five of seven are level by accuracy: each fold has 57 rows, and one of them more or less is 1.8 points. Among the blue
# ones the order is luck; another draw of the folds gives another.
#
# Ask about the probabilities too
# -------------------------------
#
# Log loss looks at the probability of the true class and not only at the winner. Confident mistakes cost most, which is
# what sets naive Bayes apart. They also make folds differ a lot: the worst fold of the forest costs six times its
# median fold, so that its difference from the best stays uncertain. More folds (``repeats=3``) would tell.

draw("log_loss", "log loss on the folds: left is better")

# %%
# **Answer.** Here two models lead by both measures and are level with each other: ``pooled`` and logistic regression.
# Which of them to take is no longer a question of accuracy: do rows come and go, are values missing, must answers be
# explained? Naive Bayes is behind by both. The whole story, as a page with all tests, is
# :func:`~unnaive.show.write_report`, or on the command line ``unnaive compare people.csv --target income``.
