# SPDX-License-Identifier: BSD-3-Clause
"""latency.py at tiny sizes: every program on two hosts gives one node's result in both modes, and the counters say what moved."""

import latency
import latency_report

SIZES = {
    "black_scholes": ["n=20000", "iterations=1"],
    "fractal": ["n=120", "iterations=5"],
    "nbody": ["n=150"],
    "knn": ["n=200"],
    "lbm2d": ["n=64"],
    "lbm3d": ["n=16"],
    "jacobi": ["n=256"],
    "jacobi_stencil": ["n=1001", "sweeps=5"],
    "laplace": ["n=501"],
}


def test_programs_compute_the_same_whether_messages_are_hidden_or_awaited(cluster, tmp_path):
    results = latency.measure(cluster, SIZES, {"2 hosts x 2": (2, 2)}, [(100, 1000)], turns=1)
    [programs] = results["places"].values()
    assert set(programs) == set(SIZES)
    for name, found in programs.items():
        modes = found["links"]["0.1 ms"]
        for summary in modes.values():
            assert summary["median_seconds"] > 0 and 0 <= summary["wait_share"] < 1
        assert modes["hidden"]["messages"] == modes["blocking"]["messages"], name
        assert modes["hidden"]["bytes_sent"] == modes["blocking"]["bytes_sent"], name
    # Rows of 999 cells, two of them across the hosts' border in each sweep, and partial sums of the norm.
    assert programs["jacobi_stencil"]["links"]["0.1 ms"]["hidden"]["bytes_sent"] >= 5 * 2 * 999 * 8
    lines = latency_report.table(results).splitlines()
    assert len(lines) == 2 + len(SIZES) and "62% → 9%" in latency_report.table(results)
    latency_report.draw(results, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
