# SPDX-License-Identifier: BSD-3-Clause
# Stands for the package gamelan where a test needs engines that are slow, or fail, at will and at a known moment.
from . import _session
from ._session import record
