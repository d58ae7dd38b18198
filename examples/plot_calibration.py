"""
If a model says 90 %, is it right nine times in ten?
====================================================

Naive Bayes is known for good answers and bad probabilities: columns that repeat each other count as fresh evidence
each time, and the probability of the winner is pushed towards one. The models here that came after it count
dependences. Are their probabilities better?

The data are the 1,797 handwritten digits that come with scikit-learn: 64 pixels each, of which neighbours repeat each
other a lot. The models learn from a fifth of them and are asked about the rest, five times.
"""

from sklearn.datasets import load_digits

from unnaive.evaluate.compare import compare
from unnaive.show import ReliabilityDisplay
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for

models = ["nb", "tan", "aode", "pooled"]
comparison = compare(models, {"digits": load_digits(return_X_y=True)}, test_size=0.8, repeats=5)

# %%
# Promised and kept
# -----------------
#
# All answers are sorted into bins by the probability that the model gave them; a point is the share of a bin that was
# right, and a large point stands for many rows. Points on the diagonal keep their promise; below it the model was too
# sure. ECE, the expected calibration error, is the mean distance from the diagonal. Answers below one half are rare and
# not shown.

display = ReliabilityDisplay.from_comparison(comparison, models, ax=axes_for(None, (4.4, 4.2)))
display.ax_.set(xlim=(0.48, 1.02), ylim=(0.32, 1.03))

# %%
# The surest answers
# ------------------
#
# Most answers lie in the last bin, where the model is at least 93 % sure. There a hollow ring is the mean probability
# that was promised, and a dot the share of right answers.

ax = axes_for(None, (4.4, 2.4))
for place, model in enumerate(models):
    rows, promised, right = comparison.reliability(model)[-1]
    ax.plot([right / rows, promised / rows], [place, place], color=FAINT, linewidth=1.2, zorder=1)
    ax.plot(promised / rows, place, "o", markersize=9, markerfacecolor="none", color=INK)
    ax.plot(right / rows, place, "o", markersize=9, color=PALETTE[place])
    print(f"{model:7} {rows:5.0f} answers: {promised / rows:.1%} promised, {right / rows:.1%} right")
ax.set_yticks(range(len(models)), models)
ax.set(xlabel="promised (ring) and right (dot)", xlim=(None, 1.004), ylim=(len(models) - 0.5, -0.5))
add_grid(ax, "x")

# %%
# **Answer.** Not if naive Bayes says so: where it is as good as certain, one answer in fifteen is wrong. TAN and AODE
# count one dependence per column and are wrong about half as often there, but still too sure.
# :class:`~unnaive.PooledBayes` (``pooled``), whose weights are learned from leave-one-out answers, keeps what it
# promises. The :doc:`/leaderboard` has the calibration error of all models over 64 tables.
