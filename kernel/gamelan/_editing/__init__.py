# SPDX-License-Identifier: BSD-3-Clause
"""Arrays with rows put in, taken out, repeated, moved or padded, and functions applied along axes."""
