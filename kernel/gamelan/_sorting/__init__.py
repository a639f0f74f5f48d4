# SPDX-License-Identifier: BSD-3-Clause
"""Elements in order. What is sorted is always sorted stably, so the result does not depend on the number of engines."""
