# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles: the dtype where there are NaNs, outputs of other shapes and dtypes; and interp between infinite values."""

import pytest

from written import check_lines


@pytest.fixture(params=["engine", "mixed"])
def anywhere(request):
    request.getfixturevalue(request.param)


def _with_nans(lines):
    """`nan4`: a row with NaNs, `all4`: a row of NaNs, `M4`: a matrix with one, `first4`: a matrix whose first row holds NaNs."""
    start = ("nan4 = np.where(np.arange(N) % 7 == 3, np.nan, np.arange(N)).astype('f4'); all4 = nan4 * np.float32(np.nan); "
             "M4 = np.arange(S * S, dtype='f4').reshape(S, S); first4 = M4.copy(); M4[1, 2] = np.nan; first4[0] = np.nan; ")  # fmt: skip
    check_lines("\n".join(start + line.strip() for line in lines.strip().splitlines()))


def test_dtypes_with_nans(anywhere):
    _with_nans("""
        np.percentile(nan4, 50)
        np.percentile(nan4, [50])
        np.percentile(nan4, np.array(50))
        np.percentile(nan4, 50, keepdims=True)
        np.percentile(nan4, 50, axis=(0,))
        np.percentile(f4, 50)
        np.quantile(f4, [0.5])
        np.quantile(nan4.astype('f2'), 0.3)
        np.quantile(nan4.astype('c8'), 0.3)
        np.quantile(nan4.astype('f8'), 0.3)
        np.quantile(nan4, 0.3, method='midpoint')
        np.quantile(nan4, 0.3, method='lower')
        np.quantile(nan4, 0.3, out=np.zeros(()))
        np.quantile(M4, 0.3)
        np.quantile(M4, 0.3, axis=0)
        np.quantile(M4, 0.3, axis=(0, 1))
        np.quantile(M4, 0.3, keepdims=True)
        np.nanquantile(nan4, 0.3)
        np.nanquantile(all4, 0.3)
        np.nanquantile(all4, [0.3, 0.4])
        np.nanquantile(all4.astype('f2'), 0.3, keepdims=True)
        np.nanquantile(M4, 0.3, axis=1)
        np.nanquantile(first4, 0.3, axis=0)
        np.nanquantile(first4, 0.3, axis=1)
        np.nanquantile(first4, [0.3, 0.4], axis=1, keepdims=True)
        np.nanquantile(first4, 0.3)
        np.nanpercentile(first4, 30, axis=1, out=np.zeros(S))
        np.nanmedian(all4)
        np.nanmedian(first4, axis=1)
        np.median(nan4)
        np.nanmean(nan4)
        np.nanstd(all4)
        np.nanvar(nan4.astype('f2'))
    """)


def test_outputs(anywhere):
    check_lines("""
        np.percentile(v, 50, out=np.zeros(1))
        np.percentile(v, 50, out=np.zeros(3))
        np.percentile(v, 50, out=np.zeros((1, 1)))
        np.percentile(v, [50], out=np.zeros(()))
        np.percentile(v, [50, 60], out=np.zeros((3, 2)))
        np.percentile(v, [50, 60], out=np.zeros((2, 1)))
        np.percentile(M, 50, 0, out=np.zeros((2, S)))
        np.percentile(M, 50, 0, out=np.zeros((1, S)), keepdims=True)
        np.percentile(M, 50, 0, out=np.zeros(S), keepdims=True)
        np.percentile(M, [50, 60], 0, out=np.zeros((2, 1, S)), keepdims=True)
        np.percentile(M, 50, out=np.zeros((1, 1)), keepdims=True)
        np.percentile(M, 50, out=np.zeros(()), keepdims=True)
        np.percentile(v, 50, out=np.zeros(1, 'f4'))
        np.percentile(v, 50, out=np.zeros(1, 'i8'))
        np.percentile(v, 50, out=np.zeros(1, 'c16'))
        np.percentile(i, 50, out=np.zeros((), 'i8'))
        np.percentile(v, 50, out=np.zeros(1), method='lower')
        np.percentile(v, 50, out=np.zeros(()), method='lower')
        np.percentile(v, 50, out=np.zeros((), 'c16'), method='lower')
        np.percentile(v, 50, out=ro[:1])
        np.percentile(v, 50, out=[0.0])
        np.percentile(v, 50, out=v[:1]); v
        np.median(v, out=np.zeros(1))
        np.median(v, out=np.zeros((), 'f4'))
        np.median(M, 0, out=np.zeros((1, S)))
        np.median(M, 0, out=np.zeros((1, S)), keepdims=True)
        np.median(M, 0, out=np.zeros(S), keepdims=True)
        np.nanmedian(M, 0, out=np.zeros((1, S)))
        np.nanmedian(v, out=np.zeros(1))
        np.nanpercentile(v, 50, out=np.zeros(1))
        np.nanpercentile(M, 50, 0, out=np.zeros((1, S)), keepdims=True)
        np.nanquantile(v, 0.5, out=np.zeros((), 'i8'))
    """)


def test_interp(anywhere):
    points = ("[0, 1, np.inf, 3, 4, 5]", "np.array([0, 1, np.inf, 3, 4, 5]) + 0j", "[0, 1, complex(2, np.inf), 3, 4, 5]", "[complex(np.inf, 1), 1, 2, 3, 4, complex(3, -np.inf)]",
              "[0, 1, complex(np.inf, np.inf), complex(np.inf, -1), 4, 5]", "[0, complex(np.inf, 2), complex(np.inf, 2), 3, complex(np.nan, 1), complex(1, np.nan)]")  # fmt: skip
    more = (
        "",
        ", period=10",
        ", left=complex(np.inf, 0), right=3j",
        ", left=np.inf, right=-1",
        ", left=[1]",
        ", left='1'",
        ", right=np.array([1])",
    )
    check_lines(
        "\n".join(
            f"np.interp({x}, np.arange(6.0), {fp}{rest})"
            for x in ("np.linspace(-1, 7, N)", "np.where(v > 0, v * 3, np.nan)")
            for fp in points
            for rest in more
        )
        + """
        np.interp(np.linspace(-1, 7, N), [-np.inf, 1, 2, 3, 4, np.inf], np.arange(6) + 1j)
        np.interp(v, [1.0], [complex(np.inf, 1)])
        np.interp(v, [1.0], [complex(np.inf, 1)], left=0, right=1j)
        np.interp(s, np.arange(6.0), [0, 1, complex(np.inf, 1), 3, 4, 5])
        np.interp(2.5, np.arange(float(N)), c)
        np.interp(2.5, np.arange(float(N)), v, left=v[0])
    """
    )
