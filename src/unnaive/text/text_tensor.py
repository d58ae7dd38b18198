"""TextTensor: documents as tensors of the terms that co-occur in their paragraphs, sentences or windows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from copy import copy
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from unnaive.core.validation import IntArray
from unnaive.tensors.closed_patterns import check_cells, outer_cells
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.tensor_transformer import TensorTransformer
from unnaive.text.documents import check_columns, read_documents, remember_columns
from unnaive.text.mail import without_parts
from unnaive.text.terms import Terms

_OF_TERMS = ("max_terms", "stop_words", "stemmer", "token_pattern", "min_documents", "mail")
_PARAGRAPH = re.compile(r"\n(?=[ \t]{2}|\t|[^\S\n]*\n)")
_INDENTED_LINE = re.compile(r"\n(?=\s)")
_SENTENCE = re.compile(r"""[.!?]["'”’)\]]*(\s+)(?=["'“‘(\[]*(\w))""")


class TextTensor(TensorTransformer):
    r"""Turn documents into tensors of the number of occurrences and co-occurrences of terms.

    A document is split into units: paragraphs, sentences or windows of words. In its two-mode tensor, cell (i, i) is
    the number of occurrences of term i in the document, and cell (i, j) is the number of units that contain both term i
    and term j, however often they occur in it.

    Parameters
    ----------
    n_modes : int, default=2
        Modes of the tensors. With 1 they are vectors of term frequencies; with more, a cell whose indices are not all
        equal is the number of units that contain all of its terms. Tensors of 2**63 cells or more, and more than 2**27
        nonzero cells at once, are refused.
    max_terms : int or None, default=40
        Maximum number of terms, by information gain or, without y, by document frequency, as in :class:`Terms`. A
        tensor has ``max_terms ** n_modes`` cells.
    unit : {"paragraph", "sentence"} or int, default="paragraph"
        Where terms co-occur. An int is the length of windows, in words. See Notes.
    weighting : {"count", "tfidf"}, default="count"
        With ``"tfidf"``, a cell is multiplied by the logarithm of the number of training documents over the number of
        those in which the cell is not zero. That number is taken as 1 if there is no such document; a cell that is in
        all of them becomes zero.
    stop_words : "english", collection of str or None, default="english"
        Words to remove, as in :class:`Terms`.
    stemmer : str or None, default="porter"
        Name of a Snowball stemming algorithm, as in :class:`Terms`.
    token_pattern : str, default=r"[^\W\d_]{2,}"
        Regular expression of a word, as in :class:`Terms`.
    min_documents : int, default=1
        Minimum number of training documents that contain a term.
    mail : collection of {"headers", "quotes", "signatures"}, default=()
        Parts of mail and news posts to remove, as in :class:`Terms`.

    Attributes
    ----------
    terms_ : Terms
        The terms, with their information gain and document frequency.
    feature_names_in_ : ndarray of str
        Only if X is a frame with string names.

    Notes
    -----
    X is a collection of documents or a frame of texts, as for :class:`Terms`.

    A new paragraph begins after a blank line, and at a line indented by a tab or at least two spaces; a text without
    such lines is one paragraph. A new sentence begins with a capital letter after a full stop, exclamation mark or
    question mark and a space, whether or not quotation marks and brackets come between them, and at a line that is
    blank or begins with a space. Abbreviations before names thus end sentences. Windows do not overlap; they start at
    the first word and include stop words, and the last one may be shorter. A document that is a list of terms is a
    single paragraph and a single sentence, and its windows are counted in terms.

    References
    ----------
    Liu et al., "A Bayesian classifier for learning from tensorial data", Example 2. In its Fig. 2, cells (1, 6) and
    (6, 1) are 1 where the text of the figure makes them 2.

    Examples
    --------
    >>> from unnaive import TextTensor
    >>> posts = ["Cats purr.\n\nDogs bark at cats.", "Dogs bark, bark, bark."]
    >>> tensors = TextTensor()
    >>> tensors.fit_transform(posts).to_dense()[0]
    array([[1., 1., 1., 0.],
           [1., 2., 1., 1.],
           [1., 1., 1., 0.],
           [0., 1., 0., 1.]])
    >>> tensors.get_feature_names_out()
    array(['bark', 'cat', 'dog', 'purr'], dtype=object)
    """

    _fitted = "terms_"
    _parameter_constraints: ClassVar = {
        "n_modes": [Interval(Integral, 1, None, closed="left")],
        "unit": [StrOptions({"paragraph", "sentence"}), Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"count", "tfidf"})],
        **{name: Terms._parameter_constraints[name] for name in _OF_TERMS},
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

    def units(self, document: Any) -> list[str] | list[list[str]]:
        """The units of a single document, from the parameters alone.

        Parameters
        ----------
        document : str, list of str or int, or None

        Returns
        -------
        list of str, or of lists of str

        Examples
        --------
        >>> from unnaive import TextTensor
        >>> TextTensor(unit="sentence").units("Dogs bark. Cats, e.g. Tom, purr.")
        ['Dogs bark. ', 'Cats, e.g. ', 'Tom, purr.']
        """
        self._validate_params()
        return self._splitter()(read_documents([document])[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _learn(self, X: Any, y: Any) -> SparseTensor:
        self._validate_params()
        documents = read_documents(X)
        shared = {name: getattr(self, name) for name in _OF_TERMS}
        terms = Terms(counts=True, **shared).fit(documents, y)
        counts = self._counts(documents, terms)
        remember_columns(self, X)
        self.terms_ = terms
        of_weights = counts.cells if self.weighting == "tfidf" else counts.cells[:0]
        self._cells, self._in_documents = np.unique(of_weights, return_counts=True)
        return counts

    def relearned(self, with_term: IntArray, of_class: IntArray) -> tuple[TextTensor, NDArray[np.bool_]]:
        """The terms that enough documents have, and which they are; for streaming use, as :meth:`Terms.relearned`."""
        twin = copy(self)
        twin.terms_, kept = self.terms_.relearned(with_term, of_class)
        return twin, kept

    def _read(self, X: Any) -> SparseTensor:
        check_columns(self, X)
        return self._counts(read_documents(X), self.terms_)

    def _names(self) -> list[str]:
        return self.terms_.get_feature_names_out().tolist()

    def _is_consistent(self) -> bool:
        self.terms_.check_state()
        cells, in_documents = self._cells, self._in_documents
        n_cells = len(self.terms_.vocabulary_) ** self.n_modes
        return (
            cells.dtype == in_documents.dtype == np.int64
            and cells.ndim == 1
            and cells.shape == in_documents.shape
            and bool(((cells >= 0) & (cells < n_cells)).all() and (np.diff(cells) > 0).all())
            and bool(((in_documents >= 1) & (in_documents <= self.terms_.n_documents_)).all())
        )

    def _splitter(self) -> Callable[[str | list[str]], Any]:
        """The function that splits a document into units."""
        unit = self.unit
        parts = frozenset(self.mail)

        def split(document: str | list[str]) -> Any:
            if not isinstance(document, str):
                length = max(1, len(document)) if isinstance(unit, str) else int(unit)
                return [document[at : at + length] for at in range(0, len(document), length)]
            text = without_parts(document, parts).replace("\r\n", "\n")
            if unit == "paragraph":
                places = [match.start() for match in _PARAGRAPH.finditer(text)]
            elif unit == "sentence":
                places = _sentence_starts(text)
            else:
                text = text.lower()  # as Terms matches words
                places = [match.start() for match in re.finditer(self.token_pattern, text)][int(unit) :: int(unit)]
            pieces = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
            return [piece for piece in pieces if piece.strip()]

        return split

    def _counts(self, documents: list[str | list[str]], learned: Terms) -> SparseTensor:
        size = len(learned.vocabulary_)
        check_cells(size, self.n_modes, "max_terms")
        split = self._splitter()
        units, document_of = [], []
        for number, document in enumerate(documents):
            pieces = split(document)
            units += pieces
            document_of += [number] * len(pieces)
        n_cells = size**self.n_modes
        shape = (len(documents),) + (size,) * self.n_modes
        if not units:
            return SparseTensor.from_coordinates([], [], shape)
        terms = copy(learned).set_output(transform="default")  # a matrix, whatever the output configuration
        terms.mail = ()  # removed before the text was split
        counts = terms.transform(units)
        of_unit = np.array(document_of)
        step = sum(size**mode for mode in range(self.n_modes))  # between cells of the diagonal
        indptr, cells = outer_cells(
            counts.indptr.astype(np.int64), counts.indices.astype(np.int64), size, self.n_modes, "max_terms"
        )
        rows = np.repeat(of_unit, np.diff(indptr))
        pairs = cells % step != 0
        rows = np.concatenate([rows[pairs], np.repeat(of_unit, np.diff(counts.indptr))])
        cells = np.concatenate([cells[pairs], counts.indices.astype(np.int64) * step])
        values = np.concatenate([np.ones(pairs.sum()), counts.data])
        flat = SparseTensor.from_coordinates(np.column_stack([rows, cells]), values, (len(documents), n_cells))
        return SparseTensor(shape, flat.indptr, flat.cells, flat.values)

    def _tensors(self, counts: SparseTensor) -> SparseTensor:
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
    """Where sentences begin, except the first."""
    lines = [match.start() for match in _INDENTED_LINE.finditer(text)]
    marks = [match.end(1) for match in _SENTENCE.finditer(text) if match[2].isupper()]
    return sorted({*lines, *marks})
