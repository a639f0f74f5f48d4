# SPDX-License-Identifier: BSD-3-Clause
"""Where the elements of an array lie, by the user's choice: `np.distribution`, the keyword `distribution=` of what makes
arrays, `np.redistribute`, and what a user of Global Arrays knows: the block of a rank."""
