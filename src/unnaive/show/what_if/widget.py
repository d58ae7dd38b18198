"""WhatIf: the page in a notebook, or as a file."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from unnaive.show.page import check_report_path, write_page
from unnaive.show.what_if.page import render_what_if

_MODULE = """
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    for (const [name, value] of Object.entries(model.get("frame"))) frame.setAttribute(name, value);
    const listen = ({ source, data }) => {
      if (source !== frame.contentWindow || !Array.isArray(data?.whatIf)) return;
      model.set("row", data.whatIf);
      model.save_changes();
    };
    addEventListener("message", listen);
    el.append(frame);
    return () => removeEventListener("message", listen);
  },
};
"""


class WhatIf:
    """A page on which one changes the values of a row and sees the answer of a fitted model change.

    It is one HTML file that needs no server and no network: the model's tables are in it, and its answers are computed
    in the browser, equal to ``predict_proba``. In a notebook the page is shown in a frame; where ``anywidget`` is
    installed, :attr:`values` follows what one chooses there.

    Parameters
    ----------
    model : NaiveBayes, TAN, KDB, BayesNet, HiddenNaiveBayes, AODE, WAODE or AnDE
        Fitted. Naive Bayes with ``numeric="discretize"`` or ``"gaussian"``, AnDE without ``subsumption``. Tables and
        rows may take up to 8 MB of the page.
    X : frame or array-like of shape (n_samples, n_features), optional
        Rows to start from; the first 200 are taken.
    y : array-like of shape (n_samples,), optional
        Their labels, None where unknown.
    target : str, optional
        What is predicted.
    first : int, default=0
        The number of the first row of X, if X is a part of something.
    height : int, default=760
        Of the frame in a notebook, in pixels.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import TAN
    >>> from unnaive.show import WhatIf
    >>> iris = load_iris(as_frame=True)
    >>> page = WhatIf(TAN().fit(iris.data, iris.target), iris.data, target="species")
    >>> page.values["petal width (cm)"]
    'up to 0.8'
    """

    def __init__(
        self,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        target: str | None = None,
        first: int = 0,
        height: int = 760,
    ) -> None:
        self.html, data = render_what_if(model, X, y, target=target, first=first)
        self.height = height
        self._columns = data["columns"]
        self._start = data["rows"][0]["values"] if data["rows"] else [None] * len(self._columns)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, atomically.

        Parameters
        ----------
        path : path
            Missing folders are created, and an existing page or report is replaced.

        Returns
        -------
        Path
        """
        check_report_path(path)
        return write_page(self.html, path)

    @property
    def values(self) -> dict[str, Any]:
        """The row that the page shows: categories and bins in words, numbers of Gaussian columns, None for missing."""
        row = self._start if self._widget is None else self._widget.row
        return {
            column["name"]: value if value is None or column["kind"] == "gaussian" else column["values"][int(value)]
            for column, value in zip(self._columns, row)
        }

    @cached_property
    def _widget(self) -> Any:
        """The widget that tells Python what is chosen, None without anywidget."""
        try:
            import anywidget
            import traitlets
        except ImportError:
            return None

        class Widget(anywidget.AnyWidget):
            _esm = _MODULE
            frame = traitlets.Dict().tag(sync=True)
            row: Any = traitlets.List().tag(sync=True)

        return Widget(frame={**self._frame, "srcdoc": self.html}, row=self._start)

    @property
    def _frame(self) -> dict[str, str]:
        # Without allow-same-origin the page cannot reach the notebook around it.
        return {
            "sandbox": "allow-scripts allow-downloads",
            "title": "What if?",
            "style": f"width: 100%; height: {self.height}px; border: 0",
        }

    def _repr_html_(self) -> str:
        attributes = Markup(" ").join(
            Markup('{}="{}"').format(name, value) for name, value in {**self._frame, "srcdoc": self.html}.items()
        )
        return Markup("<iframe {}></iframe>").format(attributes)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if self._widget is not None:
            return self._widget._repr_mimebundle_(**options)
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
