# SPDX-License-Identifier: BSD-3-Clause
"""Other shapes of the same elements, and arrays joined. What can be a view is one; the rest is copied on the engines."""
