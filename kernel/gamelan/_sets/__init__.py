# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as sets: distinct elements, membership, union and difference. Equal elements are neighbours once they are sorted; what
stays is then known by comparing neighbours, where they lie."""
