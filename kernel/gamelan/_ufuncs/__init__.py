# SPDX-License-Identifier: BSD-3-Clause
"""Universal functions, one for each element-wise row of the op table (_objects), and functions that are made of them. The
ways of calling one are _calls, _two_results and _odd_comparisons."""
