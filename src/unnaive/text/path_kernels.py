"""Compiled loops over the documents of terms and the terms of documents, in memory linear in either."""

from __future__ import annotations

import numpy as np

from unnaive.core.compiled import njit


@njit(cache=True, nogil=True)
def by_term(starts, terms, n_terms):
    """Documents of each term, and the term's position in each."""
    term_starts = np.zeros(n_terms + 1, dtype=np.int64)
    for place in range(len(terms)):
        term_starts[terms[place] + 1] += 1
    for term in range(n_terms):
        term_starts[term + 1] += term_starts[term]
    filled = term_starts[:-1].copy()
    documents = np.empty(len(terms), dtype=np.int32)
    places = np.empty(len(terms), dtype=np.int64)
    for document in range(len(starts) - 1):
        for place in range(starts[document], starts[document + 1]):
            at = filled[terms[place]]
            documents[at] = document
            places[at] = place
            filled[terms[place]] = at + 1
    return term_starts, documents, places


@njit(cache=True, nogil=True)
def sum_over_terms(starts, terms, values, sums):
    """Add to each document's sum the values of its terms."""
    for document in range(len(starts) - 1):
        for place in range(starts[document], starts[document + 1]):
            sums[document] += values[terms[place]]
    return sums


@njit(cache=True, nogil=True)
def add_over_terms(starts, terms, values, sums):
    """Add to each term's sum the values of its documents."""
    for document in range(len(starts) - 1):
        for place in range(starts[document], starts[document + 1]):
            sums[terms[place]] += values[document]
    return sums


@njit(cache=True, nogil=True)
def squares(starts, terms, term_starts, documents, places, first, last):
    """For each term the sum, over the others, of the squared number of documents they share.

    Terms from ``first`` to ``last`` are paired with all later ones; each pair counts for both.
    """
    n_terms = len(term_starts) - 1
    sums = np.zeros(n_terms, dtype=np.int64)
    shared = np.zeros(n_terms, dtype=np.int32)
    for term in range(first, last):
        of_term = 0
        for at in range(term_starts[term], term_starts[term + 1]):
            for place in range(places[at] + 1, starts[documents[at] + 1]):
                other = terms[place]
                more = 2 * np.int64(shared[other]) + 1  # growth of the square
                shared[other] += 1
                of_term += more
                sums[other] += more
        sums[term] += of_term
        for at in range(term_starts[term], term_starts[term + 1]):
            for place in range(places[at] + 1, starts[documents[at] + 1]):
                shared[terms[place]] = 0
    return sums


@njit(cache=True, nogil=True)
def neighbours(starts, terms, term_starts, documents, first, last, document_counts, s, sums, within):
    """Sums over the neighbours of each term from ``first`` to ``last``, in the dtype of ``sums``.

    Rows of ``sums``: a², a³, a²s, (l-2)r, (l-2)(l-3)r and closed walks of three steps (see higher_order_paths.py);
    ``within`` sums r over the terms of each document.
    """
    n_documents, n_terms = len(starts) - 1, len(term_starts) - 1
    shared = np.zeros(n_terms, dtype=sums.dtype)
    reach = np.zeros(n_documents, dtype=sums.dtype)
    for term in range(first, last):
        for at in range(term_starts[term], term_starts[term + 1]):
            document = documents[at]
            for place in range(starts[document], starts[document + 1]):
                if terms[place] != term:
                    shared[terms[place]] += 1
        closed = sums[5, term]
        for document in range(n_documents):
            r = sums.dtype.type(0)
            for place in range(starts[document], starts[document + 1]):
                r += shared[terms[place]]
            reach[document] = r
            closed += r * r
        for at in range(term_starts[term], term_starts[term + 1]):
            document = documents[at]
            length = starts[document + 1] - starts[document]
            r = reach[document]
            within[document] += r
            sums[3, term] += (length - 2) * r
            sums[4, term] += (length - 2) * (length - 3) * r
            for place in range(starts[document], starts[document + 1]):
                other = terms[place]
                a = shared[other]
                if a != 0:  # first visit
                    sums[0, term] += a * a
                    sums[1, term] += a * a * a
                    sums[2, term] += a * a * s[other]
                    closed -= a * a * document_counts[other]
                    shared[other] = 0
        sums[5, term] = closed


@njit(cache=True, nogil=True)
def pure_paths(
    starts,
    terms,
    term_starts,
    documents,
    among_starts,
    among_terms,
    among_term_starts,
    among_documents,
    first,
    last,
    third,
    ends_and_inner,
):
    """Paths of second or third order from each term, ``first`` to ``last``, to terms it shares no document with.

    They count for the first and the second term. A document with the first term has no such end term, so no path can
    return to it.
    """
    n_documents, n_terms = len(starts) - 1, len(term_starts) - 1
    ends, inner = ends_and_inner[0], ends_and_inner[1]
    shared = np.zeros(n_terms, dtype=ends.dtype)
    near = np.zeros(n_terms, dtype=np.int32)  # the last term that shares a document, itself too, plus one
    targets = np.zeros(n_documents, dtype=ends.dtype)  # end terms in each document
    last_steps = np.zeros(n_terms, dtype=ends.dtype)  # from each term to an end term
    two_steps = np.zeros(n_documents, dtype=ends.dtype)  # last steps from the terms of each document
    zero = np.zeros(1, dtype=ends.dtype)[0]
    for term in range(first, last):
        mark = term + 1
        for at in range(among_term_starts[term], among_term_starts[term + 1]):
            document = among_documents[at]
            for place in range(among_starts[document], among_starts[document + 1]):
                near[among_terms[place]] = mark
        for at in range(term_starts[term], term_starts[term + 1]):
            document = documents[at]
            for place in range(starts[document], starts[document + 1]):
                if terms[place] != term:
                    shared[terms[place]] += 1
        if third:
            last_steps[:] = zero
        for document in range(n_documents):
            n_targets = zero
            for place in range(starts[document], starts[document + 1]):
                if near[terms[place]] != mark:
                    n_targets += 1
            targets[document] = n_targets
            if third and n_targets != 0:
                for place in range(starts[document], starts[document + 1]):
                    other = terms[place]
                    last_steps[other] += n_targets if near[other] == mark else n_targets - 1
        if third:
            for document in range(n_documents):
                steps = zero
                for place in range(starts[document], starts[document + 1]):
                    steps += last_steps[terms[place]]
                two_steps[document] = steps
        for at in range(term_starts[term], term_starts[term + 1]):
            document = documents[at]
            for place in range(starts[document], starts[document + 1]):
                other = terms[place]
                if other == term:
                    continue
                if third:  # both first steps through this document
                    paths = last_steps[other] - two_steps[document]
                    ends[term] += paths
                    inner[other] += paths
                a = shared[other]
                if a == 0:  # met before
                    continue
                shared[other] = zero
                paths = zero
                for of_other in range(term_starts[other], term_starts[other + 1]):
                    by = documents[of_other]
                    if third:
                        length = starts[by + 1] - starts[by]
                        paths += two_steps[by] - last_steps[other] - (length - 2) * targets[by]
                    else:
                        paths += targets[by]
                ends[term] += a * paths
                inner[other] += a * paths
