"""What is measured: metrics, tests of significance, bias and variance."""
