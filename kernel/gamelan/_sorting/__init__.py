# SPDX-License-Identifier: BSD-3-Clause
"""Elements in order. What is sorted is always sorted stably, so the result does not depend on the number of engines."""

from ._lexsort import lexsort
from ._partition import argpartition, partition, partition_in_place
from ._sort import argsort, msort, sort, sort_complex, sort_in_place

__all__ = [
    "argpartition",
    "argsort",
    "lexsort",
    "msort",
    "partition",
    "partition_in_place",
    "sort",
    "sort_complex",
    "sort_in_place",
]
