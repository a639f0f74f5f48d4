# SPDX-License-Identifier: BSD-3-Clause
"""Operations over the elements of an axis: reductions, running folds, the place of the least and the greatest; and what is
known of the bounds of an index array, which is two folds."""
