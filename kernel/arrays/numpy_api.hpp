// SPDX-License-Identifier: BSD-3-Clause
// NumPy's C interface, shared by the files of this extension. One file (core_module.cpp) defines
// GAMELAN_NUMPY_IMPORT before it includes this header, and imports the function table; the others use that
// table.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_23_API_VERSION  // headers of NumPy 2 then make what runs on NumPy 1.24, too
#define PY_ARRAY_UNIQUE_SYMBOL gamelan_numpy_api
#define PY_UFUNC_UNIQUE_SYMBOL gamelan_ufunc_api
#ifndef GAMELAN_NUMPY_IMPORT
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
