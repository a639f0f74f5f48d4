# SPDX-License-Identifier: BSD-3-Clause
"""What people do with arrays and other libraries: for each library some ten expressions over `x` (floats in [0, 1)), `m` (three
columns of floats), `i` (integers 0 to 9) and `im` (an image of bytes). `np` is NumPy or Gamelan. The result is compared."""

SETUP = {
    "json": "import json, math, statistics, struct, numbers, fractions, hashlib, io, csv",
    "matplotlib": "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt",
    "pandas": "import pandas as pd",
    "sklearn": "import sklearn.cluster, sklearn.linear_model, sklearn.preprocessing, sklearn.decomposition, sklearn.model_selection, "
    "sklearn.metrics, sklearn.neighbors, sklearn.ensemble",
    "xarray": "import xarray as xr",
    "scipy": "import scipy.special, scipy.signal, scipy.stats, scipy.optimize, scipy.interpolate, scipy.ndimage, scipy.sparse, "
    "scipy.linalg, scipy.integrate, scipy.spatial",
    "PIL": "import PIL.Image",
    "numba": "import numba",
    "seaborn": "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt; import seaborn as sns",
    "skimage": "import skimage.filters, skimage.transform, skimage.measure, skimage.morphology, skimage.exposure",
    "dask": "import dask.array as da",
    "h5py": "import h5py",
    "zarr": "import zarr",
    "pyarrow": "import pyarrow as pa",
    "statsmodels": "import statsmodels.api as sm",
    "networkx": "import networkx as nx",
    "sympy": "import sympy",
    "tqdm": "import tqdm",
    "jax": "import jax; jax.config.update('jax_enable_x64', True); import jax.numpy as jnp",
    "torch": "import torch",
}

PROGRAMS = {
    "json": """
        json.dumps(x.mean()) and 1
        json.dumps(x[:3].tolist())
        isinstance(x.mean(), float) and isinstance(x.sum(), numbers.Number)
        round(math.sqrt(x.sum()), 9)
        len(range(i.max()))
        list(range(20))[i.max()]
        fractions.Fraction(x.max()).limit_denominator(10)
        statistics.mean(x[:5].tolist())
        len(struct.pack('d', x.mean()))
        hashlib.md5(x).hexdigest()
        len(memoryview(x))
        sorted(x[:5]) == sorted(x[:5].tolist())
        f'{x.mean():.3f}'
        len({v: 1 for v in i[:50]})""",
    "matplotlib": """
        len(plt.boxplot(m)['boxes'])
        plt.hist(x)[0].sum()
        len(plt.hist(m)[0])
        len(plt.violinplot(m)['bodies'])
        len(plt.violinplot(x)['bodies'])
        plt.plot(x)[0].get_ydata().size
        len(plt.plot(m))
        len(plt.scatter(x, x, c=x, s=i).get_offsets())
        len(plt.bar(i[:10], x[:10]))
        plt.imshow(im).get_array().shape
        plt.contourf(im) and 1
        plt.pcolormesh(im) and 1
        plt.errorbar(i[:20], x[:20], yerr=x[:20]) and 1
        plt.fill_between(i[:50], x[:50]) and 1
        plt.hexbin(x, x) and 1
        plt.hist2d(x, x)[0].sum()
        len(plt.pie(x[:5])[0])""",
    "pandas": """
        pd.DataFrame(m).sum().round(6).tolist()
        pd.DataFrame({'a': x, 'b': i}).describe().shape
        pd.Series(x).rolling(3).mean().sum().round(6)
        pd.DataFrame({'a': x, 'b': i})[x > 0.5].shape
        pd.DataFrame({'a': x, 'b': i}).loc[x > 0.5, 'a'].sum().round(6)
        pd.DataFrame({'a': x}).groupby(i).a.sum().round(6).tolist()
        pd.DataFrame({'a': x}).assign(b=x * 2).b.sum().round(6)
        pd.Series(i).isin(i[:3]).sum()
        pd.cut(x, 5).value_counts().sum()
        pd.Series(x).iloc[i].sum().round(6)
        pd.DataFrame({'a': x, 'b': i}).agg(np.std).round(8).tolist()
        type(np.cumsum(pd.Series(x))).__name__
        type(np.clip(pd.Series(x), 0, 0.5)).__name__
        type(x + pd.Series(x)).__name__
        pd.Series(i).value_counts().sum()
        pd.Series(x).rank().sum()
        pd.DataFrame({'i': i, 'x': x}).pivot_table(index='i', values='x').x.sum().round(6)
        pd.concat([pd.Series(x), pd.Series(i)]).size""",
    "sklearn": """
        round(sklearn.cluster.KMeans(3, n_init=1, random_state=0).fit(m).inertia_, 6)
        sklearn.linear_model.LinearRegression().fit(m, m[:, 0]).coef_.round(6).tolist()
        sklearn.linear_model.LogisticRegression().fit(m, m[:, 0] > 0.5).score(m, m[:, 0] > 0.5)
        abs(sklearn.preprocessing.StandardScaler().fit_transform(m).sum().round(6))
        abs(sklearn.preprocessing.scale(m).sum().round(6))
        sklearn.decomposition.PCA(2).fit(m).explained_variance_.round(8).tolist()
        sklearn.model_selection.train_test_split(m, random_state=0)[0].shape
        round(sklearn.metrics.mean_squared_error(x, x * 2), 8)
        sklearn.neighbors.NearestNeighbors(n_neighbors=2).fit(m).kneighbors(m[:3])[1].tolist()
        sklearn.ensemble.RandomForestClassifier(3, random_state=0).fit(m[:500], m[:500, 0] > 0.5).predict(m[:5]).tolist()
        sklearn.preprocessing.OneHotEncoder().fit_transform(i[:, None]).shape""",
    "xarray": """
        round(float(xr.DataArray(x, dims='t').rolling(t=3).mean().sum()), 6)
        round(float(xr.DataArray(m, dims=('a', 'b')).mean('a').sum()), 6)
        round(float(xr.DataArray(x, dims='t').isel(t=slice(0, 10)).sum()), 6)
        len(xr.Dataset({'v': ('t', x)}).to_netcdf())
        round(float(xr.DataArray(x, dims='t', coords={'g': ('t', i)}).groupby('g').mean().sum()), 6)
        round(float(xr.DataArray(x, dims='t', coords={'t': range(len(x))}).interp(t=1.5)), 6)
        round(float((xr.DataArray(m, dims=('a', 'b')) + xr.DataArray(m[0], dims='b')).sum()), 6)
        round(float(xr.DataArray(x, dims='t').where(xr.DataArray(x, dims='t') > 0.5).sum()), 6)
        round(float(xr.DataArray(x, dims='t').to_pandas().sum()), 6)
        round(float(xr.concat([xr.DataArray(x, dims='t')] * 2, 't').sum()), 6)""",
    "scipy": """
        round(float(np.sum(scipy.special.erf(x))), 6)
        round(float(np.sum(scipy.special.gammaln(x + 1))), 6)
        scipy.signal.welch(x)[1].sum().round(10)
        scipy.signal.lfilter([1], [1, 0.5], x).sum().round(6)
        scipy.signal.fftconvolve(x, x[:10]).sum().round(6)
        scipy.signal.filtfilt(*scipy.signal.butter(2, 0.1), x).sum().round(6)
        len(scipy.signal.find_peaks(x)[0])
        round(float(scipy.stats.ttest_ind(x, i).statistic), 6)
        round(float(scipy.stats.norm.pdf(x).sum()), 6)
        scipy.optimize.minimize(lambda p: np.sum((p - np.array([1.0, 2.0])) ** 2), np.zeros(2)).x.round(3).tolist()
        scipy.optimize.curve_fit(lambda t, a, b: a * t + b, x, 2 * x + 1)[0].round(6).tolist()
        float(scipy.interpolate.interp1d(np.arange(5.0), np.arange(5.0))(2.5))
        round(float(scipy.ndimage.gaussian_filter(im.astype(float), 1).sum()), 3)
        round(float((scipy.sparse.csr_matrix(m) @ np.ones(3)).sum()), 6)
        scipy.linalg.lu_factor(m[:3])[0].shape
        scipy.spatial.cKDTree(m).query(m[:3])[1].tolist()
        scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), np.array([1.0, 2.0])).y[0, -1].round(6)""",
    "PIL": """
        PIL.Image.fromarray(im).size
        int(np.asarray(PIL.Image.fromarray(im)).sum())
        PIL.Image.fromarray(im).resize((10, 10)).size
        PIL.Image.fromarray(np.stack([im, im, im], axis=-1)).mode""",
    "numba": """
        round(numba.njit(lambda a: a.sum())(numpy.asarray(x)), 6)
        round(float(numba.vectorize(lambda a: a * 2)(x).sum()), 6)
        round(float(numba.vectorize(['f8(f8, f8)'])(lambda a, b: a + b)(x, 1).sum()), 6)
        round(float(numba.njit(lambda a: a.sum())(np.arange(100.0))), 6)""",
    "seaborn": """
        sns.histplot(x) and 1
        sns.boxplot(x=i, y=x) and 1
        sns.heatmap(m[:5]) and 1
        sns.regplot(x=x[:50], y=x[:50]) and 1
        sns.scatterplot(x=x[:500], y=x[:500], hue=i[:500]) and 1
        sns.kdeplot(x[:1000]) and 1""",
    "skimage": """
        round(float(skimage.filters.sobel(im.astype(float)).sum()), 3)
        int(skimage.filters.threshold_otsu(im))
        skimage.transform.resize(im, (10, 10)).shape
        int(skimage.measure.label(im > 128).max())
        int(skimage.morphology.binary_dilation(im > 200).sum())
        round(float(skimage.exposure.equalize_hist(im).sum()), 3)
        round(float(skimage.filters.gaussian(im.astype(float)).sum()), 3)""",
    "dask": """
        round(float(da.from_array(x).sum().compute()), 6)
        round(float(da.from_array(x, chunks=100).mean().compute()), 8)
        da.from_array(m).T.shape
        round(float((da.from_array(x) + 1).sum().compute()), 6)""",
    "h5py": """
        (lambda h: (h.create_dataset('x', data=x), round(float(h['x'][:].sum()), 6))[1])(h5py.File('a', 'w', driver='core', backing_store=False))
        (lambda h: (h.create_dataset('x', x.shape, 'f8'), h['x'].write_direct(numpy.asarray(x)), h['x'].shape)[2])(h5py.File('b', 'w', driver='core', backing_store=False))
        (lambda h: (h.create_dataset('x', x.shape), h['x'].__setitem__(..., x), round(float(np.asarray(h['x'][:]).sum()), 2))[2])(h5py.File('c', 'w', driver='core', backing_store=False))""",
    "zarr": """
        round(float(zarr.array(x)[:].sum()), 6)
        zarr.array(m).shape
        (lambda z: (z.__setitem__(slice(None), x), round(float(z[:].sum()), 6))[1])(zarr.zeros(x.shape))""",
    "pyarrow": """
        len(pa.array(x))
        round(pa.array(x).to_numpy().sum(), 6)
        pa.table({'x': pa.array(x), 'i': pa.array(i)}).num_rows
        pa.Tensor.from_numpy(numpy.asarray(m)).shape""",
    "statsmodels": """
        sm.OLS(m[:, 0], m).fit().params.round(6).tolist()
        sm.add_constant(m).shape
        round(float(sm.tsa.acf(x, nlags=3).sum()), 6)
        sm.Logit((m[:, 0] > 0.5).astype(int), m[:, 1:]).fit(disp=0).params.round(4).tolist()""",
    "networkx": """
        nx.from_numpy_array(im[:20, :20] > 200, create_using=nx.DiGraph).number_of_edges()
        round(float(np.asarray(nx.to_numpy_array(nx.path_graph(5))).sum()), 3)""",
    "sympy": """
        round(float(sympy.lambdify('q', 'sin(q)')(x).sum()), 6)
        round(float(sympy.lambdify('q', 'q**2 + 1')(x).sum()), 5)
        sympy.Matrix(m[:2, :2].round(3).tolist()).shape""",
    "tqdm": """
        sum(1 for _ in tqdm.tqdm(x[:50], disable=True))
        round(sum(tqdm.tqdm(x[:50].tolist(), disable=True)), 6)""",
    "jax": """
        round(float(jnp.asarray(x).sum()), 6)
        round(float(jnp.from_dlpack(numpy.array(x)).sum()), 6)
        round(float(jax.jit(lambda a: (a * 2).sum())(jnp.asarray(x))), 5)
        round(float(jnp.sqrt(jnp.asarray(m)).mean()), 9)
        round(float(jax.jit(lambda a: (a * 2).sum())(x)), 5)
        round(float(jax.grad(lambda a: (a ** 2).sum())(x)[7]), 9)
        round(float(jnp.sin(x).sum() + jax.vmap(lambda a: a * 2)(x)[3]), 6)
        jax.tree_util.tree_map(lambda a: a.shape, {'x': x, 'm': [m]})
        round(float(jnp.array(x).max()), 9)
        int(jnp.bincount(jnp.asarray(i)).argmax())
        round(float(np.sqrt(np.asarray(jnp.arange(100_000.0))).sum()), 4)
        round(float(np.from_dlpack(jnp.arange(5.0)).sum()), 6)""",
    "torch": """
        round(float(torch.as_tensor(numpy.array(x)).sum()), 6)
        round(float(torch.as_tensor(x).sum()), 6)
        round(float(torch.tensor(x).sum()), 6)
        round(float(torch.from_numpy(numpy.array(x)).mean()), 9)
        round(float(torch.from_dlpack(numpy.array(x)).sum()), 6)
        round(float(torch.as_tensor(m)[:, 1].max()), 12)
        int(torch.as_tensor(i).bincount().argmax())
        round(float((torch.as_tensor(m).T @ torch.as_tensor(m))[0, 0]), 6)
        float(np.asarray(torch.ones(5)).sum())
        float(np.from_dlpack(torch.ones(5)).sum())
        round(float(np.asarray(torch.arange(100_000.0, dtype=torch.float64)).sum()), 6)
        round(float(np.sqrt(np.from_dlpack(torch.arange(100_000.0, dtype=torch.float64))).sum()), 4)""",
}


def of(library):
    """The expressions of a library."""
    return [line.strip() for line in PROGRAMS[library].strip().splitlines()]
