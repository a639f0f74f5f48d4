# SPDX-License-Identifier: BSD-3-Clause
# As gamelan._magics: registers %engines when loaded.


def load_ipython_extension(shell):
    shell.register_magic_function(lambda line: print("engines:", line), "line", "engines")
