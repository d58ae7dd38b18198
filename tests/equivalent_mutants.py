"""Mutants of kernels that give the same results as the kernels, and why (see `mutants.py`)."""

_LONGER = "A buffer longer than needed."
_BATCHES = "How many candidates are counted at once only bounds the memory."
_RESCALED = "How often products are rescaled does not matter, as long as it is before they underflow."

# {(file, function): {change: reason}}; a change that occurs a second time has (2) at its end.
EQUIVALENT = {
    ("counts/count_table.py", "Smoothing.added"): {
        "return cells * 1.0 if self.kind == 'laplace' else cells * 0.0 + self.m -> "
        "return cells / 1.0 if self.kind == 'laplace' else cells * 0.0 + self.m": "Dividing by one is the same.",
    },
    ("counts/count_table.py", "_count"): {
        "first, second = (positions[0], positions[1]) -> first, second = (positions[0], positions[2])": (
            "Any two rows of the work space do."
        ),
    },
    ("bayes/aode_kernels.py", "add_scaled"): {
        "if value <= largest[y]: -> if value < largest[y]:": "If they are equal, both branches add one.",
    },
    ("bayes/structure_learning.py", "k2_gains"): {
        "most = max(1, _MAX_CELLS // (q * r)) -> most = min(1, _MAX_CELLS // (q * r))": _BATCHES,
        "most = max(1, _MAX_CELLS // (q * r)) -> most = max(2, _MAX_CELLS // (q * r))": _BATCHES,
        "most = max(1, _MAX_CELLS // (q * r)) -> most = max(1, _MAX_CELLS * (q * r))": _BATCHES,
        "most = max(1, _MAX_CELLS // (q * r)) -> most = max(1, _MAX_CELLS // (q / r))": _BATCHES,
        "batch = (np.cumsum(sizes[candidates]) - 1) // most -> "
        "batch = (np.cumsum(sizes[candidates]) + 1) // most": _BATCHES,
        "batch = (np.cumsum(sizes[candidates]) - 1) // most -> "
        "batch = (np.cumsum(sizes[candidates]) - 2) // most": _BATCHES,
        "batch = (np.cumsum(sizes[candidates]) - 1) // most -> "
        "batch = (np.cumsum(sizes[candidates]) - 1) * most": _BATCHES,
    },
    ("text/path_kernels.py", "neighbours"): {
        "n_documents, n_terms = (len(starts) - 1, len(term_starts) - 1) -> "
        "n_documents, n_terms = (len(starts) - 1, len(term_starts) + 1)": _LONGER,
    },
    ("text/path_kernels.py", "pure_paths"): {
        "n_documents, n_terms = (len(starts) - 1, len(term_starts) - 1) -> "
        "n_documents, n_terms = (len(starts) - 1, len(term_starts) + 1)": _LONGER,
        "zero = np.zeros(1, dtype=ends.dtype)[0] -> zero = np.zeros(2, dtype=ends.dtype)[0]": "The first is taken.",
        "mark = term + 1 -> mark = term + 2": "Any numbers above zero, one per term, are marks.",
        "if third and n_targets != 0: -> if third or n_targets != 0:": "The last steps are read in third order only.",
    },
    ("decomposition/mixture.py", "_expect"): {
        "if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 1: -> "
        "if column % FACTORS_BETWEEN != FACTORS_BETWEEN - 1:": _RESCALED,
        "if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 1: -> "
        "if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 2:": _RESCALED,
        "if largest < TINY: -> if largest <= TINY:": _RESCALED,
    },
    ("instance_graph/minimum_spanning_tree.py", "_precedes"): {
        "return square < other_square -> return square <= other_square": "They differ, as the line before asks.",
        "return low < other_low or (low == other_low and max(a, b) < max(i, j)) -> "
        "return low < other_low or (low == other_low and max(a, b) <= max(i, j))": (
            "No two edges are equal, and replacing an edge by itself changes nothing."
        ),
    },
    ("instance_graph/minimum_spanning_tree.py", "_grow"): {
        "reached = 0 -> reached = 1": "The tree is unique, whichever row it is grown from.",
        "edge = n_rows - 1 - n_left -> edge = n_rows - 2 - n_left": (
            "Edges are in any order; index -1, of the first one, is the last place."
        ),
    },
    ("instance_graph/minimum_spanning_tree.py", "_root"): {
        "parent[row] = parent[parent[row]] -> pass": "Only shortens the way of later searches.",
    },
    ("bayes/hidden_kernels.py", "_score_hidden"): {
        "complete_before = complete -> pass": "Only computes the same weights again.",
        "smallest = 1.0 -> smallest = 2.0": "Only compared with numbers far below one.",
        "if smallest < _SMALLEST: -> if smallest <= _SMALLEST:": _RESCALED,
    },
}
