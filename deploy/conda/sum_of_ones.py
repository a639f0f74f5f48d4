# SPDX-License-Identifier: BSD-3-Clause
"""What recipe.yaml runs on two engines to test the package."""

import gamelan as np

assert np.ones(1_000_000).sum() == 1e6
