"""Documents as tensors of the terms that meet in their paragraphs, sentences or windows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from copy import copy
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.validation import check_frame_names
from unnaive.tensors.closed_patterns import outer_cells
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.text.documents import read_documents
from unnaive.text.mail import without_parts
from unnaive.text.terms import Terms

_PARAGRAPH = re.compile(r"\n(?=[ \t]{2}|\t|[^\S\n]*\n)")
_INDENTED_LINE = re.compile(r"\n(?=\s)")
_SENTENCE = re.compile(r"""[.!?]["'”’)\]]*(\s+)(?=["'“‘(\[]*(\w))""")


class TextTensor(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn documents into tensors that say how often terms occur, and how often they meet.

    A document is cut into units: paragraphs, sentences or windows of words. In its two-mode tensor, cell (i, i) is the
    number of times that term i occurs in the document, and cell (i, j) is the number of units that have both term i
    and term j.

    Parameters
    ----------
    n_modes : int, default=2
        Modes of the tensors. With 1 they are plain vectors of term frequencies; with more, a cell whose indices are not
        all the same is the number of units that have all of its terms.
    max_terms : int or None, default=40
        How many terms are kept: those whose presence says most about the class (information gain), or, without y,
        those of most documents, as in :class:`Terms`. A tensor has ``max_terms ** n_modes`` cells.
    unit : {"paragraph", "sentence"} or int, default="paragraph"
        Where terms meet. A number is the length of windows, in words. See Notes.
    weighting : {"count", "tfidf"}, default="count"
        With ``"tfidf"``, a cell is multiplied by the logarithm of the number of training documents over the number of
        those in which the cell is not zero. That number is taken as 1 if there is no such document; a cell that is in
        all of them becomes zero.
    stop_words : str, collection of str or None, default="english"
        Words that are no terms, as in :class:`Terms`.
    stemmer : str or None, default="porter"
        What reduces words to stems, as in :class:`Terms`.
    token_pattern : str, default=r"[^\\W\\d_]{2,}"
        Regular expression of a word, as in :class:`Terms`.
    min_documents : int, default=1
        Terms that are in fewer training documents are left out.
    mail : collection of {"headers", "quotes", "signatures"}, default=()
        Parts of mail and news posts to leave out, as in :class:`Terms`.

    Attributes
    ----------
    terms_ : Terms
        The terms, with their information gain and in how many training documents they are.
    feature_names_in_ : ndarray of str
        Only if X is a frame with string names.

    Notes
    -----
    A new paragraph begins after a blank line, and at a line that is indented by two blanks or more, or by a tab. So a
    text without such lines is one paragraph. A new sentence begins with a capital letter after a full stop, an
    exclamation mark or a question mark and a space, whether or not quotation marks and brackets come between them; and
    at a line that is blank or begins with a space. Abbreviations before names thus end sentences. Windows are cut one
    after the other, from the first word on and with stop words counted; the last one may be shorter. A document that
    is a list of terms is a single paragraph and a single sentence, and its windows are of so many terms.

    A unit counts once in a cell, however often the two terms occur in it.

    References
    ----------
    Liu et al., "A Bayesian classifier for learning from tensorial data", Example 2. In its Fig. 2, cells (1, 6) and
    (6, 1) are 1 where the text of the figure makes them 2.

    Examples
    --------
    >>> from unnaive import TextTensor
    >>> posts = ["Cats purr.\\n\\nDogs bark at cats.", "Dogs bark, bark, bark."]
    >>> tensors = TextTensor()
    >>> tensors.fit_transform(posts).to_dense()[0]
    array([[1., 1., 1., 0.],
           [1., 2., 1., 1.],
           [1., 1., 1., 0.],
           [0., 1., 0., 1.]])
    >>> tensors.get_feature_names_out()
    array(['bark', 'cat', 'dog', 'purr'], dtype=object)
    """

    _parameter_constraints: ClassVar = {
        "n_modes": [Interval(Integral, 1, None, closed="left")],
        "unit": [StrOptions({"paragraph", "sentence"}), Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"count", "tfidf"})],
        **{
            name: Terms._parameter_constraints[name]
            for name in ("max_terms", "stop_words", "stemmer", "token_pattern", "min_documents", "mail")
        },
    }

    def __init__(
        self,
        *,
        n_modes: int = 2,
        max_terms: int | None = 40,
        unit: str | int = "paragraph",
        weighting: str = "count",
        stop_words: str | Collection[str] | None = "english",
        stemmer: str | None = "porter",
        token_pattern: str = r"[^\W\d_]{2,}",
        min_documents: int = 1,
        mail: Collection[str] = (),
    ) -> None:
        self.n_modes = n_modes
        self.max_terms = max_terms
        self.unit = unit
        self.weighting = weighting
        self.stop_words = stop_words
        self.stemmer = stemmer
        self.token_pattern = token_pattern
        self.min_documents = min_documents
        self.mail = mail

    def fit(self, X: Any, y: Any = None) -> TextTensor:
        """Learn the terms, and the weights of cells if there are any.

        Parameters
        ----------
        X : collection of documents, or frame of texts
            As for :class:`Terms`.
        y : array-like of shape (n_documents,), optional
            Class labels.

        Returns
        -------
        self
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> SparseTensor:
        """Learn the terms and give the tensors of the same documents.

        Parameters
        ----------
        X : collection of documents, or frame of texts
        y : array-like of shape (n_documents,), optional

        Returns
        -------
        SparseTensor
        """
        self._validate_params()
        documents = read_documents(X)
        terms = Terms(
            counts=True,
            stop_words=self.stop_words,
            stemmer=self.stemmer,
            token_pattern=self.token_pattern,
            min_documents=self.min_documents,
            max_terms=self.max_terms,
            mail=self.mail,
        ).fit(documents, y)
        if nw.dependencies.is_into_dataframe(X):
            check_frame_names(self, X, reset=True)
        else:
            self.__dict__.pop("feature_names_in_", None)
        self.terms_ = terms
        counts = self._counts(documents)
        self._cells, self._in_documents = np.unique(counts.cells, return_counts=True)
        return self._weighted(counts)

    def transform(self, X: Any) -> SparseTensor:
        """Count terms, and how often they meet.

        Parameters
        ----------
        X : collection of documents, or frame of texts

        Returns
        -------
        SparseTensor of shape (n_documents, n_terms, ...)
            With ``n_modes`` modes.
        """
        check_is_fitted(self, "terms_")
        if hasattr(self, "feature_names_in_") and nw.dependencies.is_into_dataframe(X):
            check_frame_names(self, X, reset=False)
        return self._weighted(self._counts(read_documents(X)))

    def units(self, document: Any) -> list[str] | list[list[str]]:
        """The units of a single document; no training is needed.

        Parameters
        ----------
        document : str, list of str or int, or None

        Returns
        -------
        list of str, or of lists of str

        Examples
        --------
        >>> from unnaive.text.text_tensor import TextTensor
        >>> TextTensor(unit="sentence").units("Dogs bark. Cats, e.g. Tom, purr.")
        ['Dogs bark. ', 'Cats, e.g. ', 'Tom, purr.']
        """
        self._validate_params()
        return self._cutter()(read_documents([document])[0])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The terms, in the order of every mode.

        Parameters
        ----------
        input_features : ignored
            There for scikit-learn's sake.

        Returns
        -------
        ndarray of str of shape (n_terms,)
        """
        check_is_fitted(self, "terms_")
        return self.terms_.get_feature_names_out()

    def check_state(self) -> None:
        """Make sure that what was learnt fits together, whoever made it."""
        self._validate_params()
        if not hasattr(self, "terms_"):
            return
        self.terms_.check_state()
        cells, in_documents = self._cells, self._in_documents
        n_cells = len(self.terms_.vocabulary_) ** self.n_modes
        if not (
            cells.dtype == in_documents.dtype == np.int64
            and cells.ndim == 1
            and cells.shape == in_documents.shape
            and bool(((cells >= 0) & (cells < n_cells)).all() and (np.diff(cells) > 0).all())
            and bool(((in_documents >= 1) & (in_documents <= self.terms_.n_documents_)).all())
        ):
            raise ValueError("The terms and the counts of cells do not fit together.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _cutter(self) -> Callable[[str | list[str]], Any]:
        """What cuts a document into units."""
        unit = self.unit
        parts = frozenset(self.mail)

        def cut(document: str | list[str]) -> Any:
            if not isinstance(document, str):
                length = max(1, len(document)) if isinstance(unit, str) else int(unit)
                return [document[at : at + length] for at in range(0, len(document), length)]
            text = without_parts(document, parts).replace("\r\n", "\n")
            if unit == "paragraph":
                places = [match.start() for match in _PARAGRAPH.finditer(text)]
            elif unit == "sentence":
                places = _sentence_starts(text)
            else:
                text = text.lower()  # words are looked for in small letters
                places = [match.start() for match in re.finditer(self.token_pattern, text)][int(unit) :: int(unit)]
            pieces = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
            return [piece for piece in pieces if piece.strip()]

        return cut

    def _counts(self, documents: list[str | list[str]]) -> SparseTensor:
        cut = self._cutter()
        units, document_of = [], []
        for number, document in enumerate(documents):
            pieces = cut(document)
            units += pieces
            document_of += [number] * len(pieces)
        size = len(self.terms_.vocabulary_)
        n_cells = size**self.n_modes
        shape = (len(documents),) + (size,) * self.n_modes
        if not units:
            return SparseTensor.from_coordinates([], [], shape)
        terms = copy(self.terms_).set_output(transform="default")  # a matrix, whatever is configured
        terms.mail = ()  # left out before the text was cut
        counts = terms.transform(units)
        of_unit = np.array(document_of)
        step = sum(size**mode for mode in range(self.n_modes))  # from a cell of the diagonal to the next
        indptr, cells = outer_cells(counts.indptr.astype(np.int64), counts.indices.astype(np.int64), size, self.n_modes)
        rows = np.repeat(of_unit, np.diff(indptr))
        pairs = cells % step != 0
        rows = np.concatenate([rows[pairs], np.repeat(of_unit, np.diff(counts.indptr))])
        cells = np.concatenate([cells[pairs], counts.indices.astype(np.int64) * step])
        values = np.concatenate([np.ones(pairs.sum()), counts.data])
        flat = SparseTensor.from_coordinates(np.column_stack([rows, cells]), values, (len(documents), n_cells))
        return SparseTensor(shape, flat.indptr, flat.cells, flat.values)

    def _weighted(self, counts: SparseTensor) -> SparseTensor:
        if self.weighting == "count":
            return counts
        n_documents = np.ones(len(counts.cells))
        places = np.minimum(np.searchsorted(self._cells, counts.cells), len(self._cells) - 1)
        known = self._cells[places] == counts.cells
        n_documents[known] = self._in_documents[places[known]]
        values = counts.values * np.log(self.terms_.n_documents_ / n_documents)
        kept = values != 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
        return SparseTensor(counts.shape, indptr, counts.cells[kept], values[kept])


def _sentence_starts(text: str) -> list[int]:
    """Where a sentence begins, but for the first."""
    lines = [match.start() for match in _INDENTED_LINE.finditer(text)]
    marks = [match.end(1) for match in _SENTENCE.finditer(text) if match[2].isupper()]
    return sorted({*lines, *marks})
