# SPDX-License-Identifier: BSD-3-Clause
"""What run.py makes of a worker's answers: how many runs are a repeat, and what of them counts."""

import measure
import pool

SETTINGS = measure.Settings([1], 3, False, 1, ["numpy"])


class Worker:
    """Gives these answers, one for each run."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def run(self, limit_s):
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise pool.WorkerError(answer)
        return answer


def runs(*seconds, result=1):
    return [{"seconds": each, "result": result} for each in seconds]


def record_of(*answers, is_warm=True):
    worker, record = Worker(*answers), {"seconds": []}
    measure.keep(record, measure.repeat(worker, SETTINGS, is_warm), is_warm)
    return record, worker.answers


def test_the_median_of_a_tenth_of_a_second_counts():
    record, left = record_of(*runs(0.05, 0.02, 0.04, 0.5))
    assert record["seconds"] == [0.04] and record["median"] == 0.04 and len(left) == 1


def test_quick_programs_run_twenty_times():
    record, left = record_of(*runs(*[1e-6] * 30))
    assert record["seconds"] == [1e-6] and len(left) == 10


def test_a_long_program_and_the_first_turn_run_once():
    assert len(record_of(*runs(0.2, 0.3))[1]) == 1
    record, left = record_of(*runs(0.05, 0.001), is_warm=False)
    assert record["first_seconds"] == 0.05 and record["seconds"] == [] and len(left) == 1


def test_other_bits_are_told_wherever_they_come():
    for answers in (runs(0.03) + runs(0.03, 0.05, result=2), runs(0.03, result=2) + runs(0.04, 0.04)):
        assert record_of(*answers)[0]["unstable"]
    assert "unstable" not in record_of(*runs(0.05, 0.06))[0]


def test_the_end_of_a_worker_is_an_error():
    assert record_of(*runs(0.01), "died")[0]["error"] == "died"
    assert "result" in record_of(*runs(0.01), {"seconds": 0.01})[0]["error"]
    assert record_of({"skipped": "no expression"})[0]["skipped"] == "no expression"
