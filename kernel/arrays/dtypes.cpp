// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/dtypes.hpp"

#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

using protocol::Dtype;

namespace {

// Indexed by protocol::Dtype.
constexpr int type_numbers[] = {NPY_BOOL,  NPY_INT8,   NPY_UINT8,  NPY_INT16,  NPY_UINT16,
                                NPY_INT32, NPY_UINT32, NPY_INT64,  NPY_UINT64, NPY_HALF,
                                NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
static_assert(sizeof type_numbers / sizeof *type_numbers == protocol::dtype_count);

}  // namespace

std::optional<Dtype> dtype_of(PyArray_Descr* descr) {
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  switch (descr->type_num) {
    case NPY_BOOL:
      return Dtype::bool_;
    case NPY_BYTE:
      return Dtype::int8;
    case NPY_UBYTE:
      return Dtype::uint8;
    case NPY_SHORT:
      return Dtype::int16;
    case NPY_USHORT:
      return Dtype::uint16;
    case NPY_INT:
      return Dtype::int32;
    case NPY_UINT:
      return Dtype::uint32;
    case NPY_LONG:
    case NPY_LONGLONG:
      return Dtype::int64;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return Dtype::uint64;
    case NPY_HALF:
      return Dtype::float16;
    case NPY_FLOAT:
      return Dtype::float32;
    case NPY_DOUBLE:
      return Dtype::float64;
    case NPY_CFLOAT:
      return Dtype::complex64;
    case NPY_CDOUBLE:
      return Dtype::complex128;
    default:
      return std::nullopt;
  }
}

int type_number(Dtype dtype) { return type_numbers[static_cast<std::size_t>(dtype)]; }

void refuse_dtype(PyArray_Descr* descr) {
  const Ref errors = Ref::checked(PyImport_ImportModule("gamelan._errors"));
  const Ref error = Ref::checked(
      PyObject_CallMethod(errors.get(), "unsupported_dtype", "O", reinterpret_cast<PyObject*>(descr)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  throw PythonError();
}

}  // namespace gamelan::kernel
