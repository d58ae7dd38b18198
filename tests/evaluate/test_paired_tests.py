from unnaive.evaluate.paired_tests import paired_t, two_standard_errors

A, B = [0.9, 0.8, 0.9, 0.7], [0.8, 0.7, 0.7, 0.7]


def test_the_corrected_t_test_finds_less_than_two_standard_errors():
    found = paired_t(A, B, test_share=1 / 3)
    assert (found.verdict, round(found.mean, 3), round(found.p_value, 3)) == (0, 0.1, 0.207)
    found = two_standard_errors(A, B)
    assert (found.verdict, round(found.standard_error, 4), round(found.p_value, 3)) == (1, 0.0408, 0.092)


def test_folds_without_a_score_are_left_out():
    assert paired_t([0.9, 0.8, 0.7], [0.8, 0.7, float("nan")]).n == 2
