# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's statistics, one idea per file: made of folds, sorts, searches and shifted views, which the engines have."""
