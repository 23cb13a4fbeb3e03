"""Where a job that starts is put: one rule a file, all of them kernels."""
