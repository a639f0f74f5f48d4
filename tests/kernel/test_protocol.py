# SPDX-License-Identifier: BSD-3-Clause
# The conformance tests of Jupyter itself (jupyter_kernel_test), all of them: a sample left out would be skipped
# silently, so the number of tests that ran is itself tested.
import os
import unittest

import jupyter_kernel_test
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from notebook import KERNELS

EXPECTED = 12


class GamelanKernelTests(jupyter_kernel_test.KernelTests):
    kernel_name = "gamelan"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [
        {"text": "zi", "matches": {"zip"}},
        {"text": "import os; os.getc", "matches": {"getcwd", "getcwdb"}},
    ]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_page_something = "zip?"
    code_generate_error = "raise ValueError('no')"
    code_execute_result = [{"code": "1+2+3", "result": "6"}, {"code": "[n*n for n in range(4)]", "result": "[0, 1, 4, 9]"}]
    code_display_data = [
        {"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "from IPython.display import Math, display; display(Math('\\\\frac{1}{2}'))", "mime": "text/latex"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "search", "range")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"

    @classmethod
    def setUpClass(cls):
        specs = KernelSpecManager(kernel_dirs=[str(KERNELS)], ensure_native_kernel=False)
        cls.km = KernelManager(kernel_name=cls.kernel_name, kernel_spec_manager=specs)
        cls.km.start_kernel(env=dict(os.environ))
        cls.kc = cls.km.blocking_client()
        cls.kc.start_channels()
        cls.kc.wait_for_ready(timeout=30)


@pytest.mark.timeout(120)
def test_every_conformance_test_runs_and_passes():
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(GamelanKernelTests)
    result = unittest.TestResult()
    suite.run(result)
    problems = [trace for _, trace in result.failures + result.errors]
    assert not problems, "\n".join(problems)
    assert not result.skipped
    assert result.testsRun >= EXPECTED


# Run by the test above, which also counts; unittest.TestCase would be collected a second time.
GamelanKernelTests.__test__ = False
