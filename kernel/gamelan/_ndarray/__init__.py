# SPDX-License-Identifier: BSD-3-Clause
"""class ndarray: it stands above all that its methods do. _class puts it together of the other modules here."""
