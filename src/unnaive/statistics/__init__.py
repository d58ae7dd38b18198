"""What is counted, and the compiled kernels that count it: arrays in, arrays out."""
