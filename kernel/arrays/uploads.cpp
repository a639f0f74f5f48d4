// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/uploads.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <cstring>
#include <deque>

#include "kernel/arrays/bool_bytes.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {
namespace {

constexpr std::size_t most_kept = 16;
constexpr npy_intp most_bytes = npy_intp{8} << 20;  // of one array
constexpr npy_intp most_bytes_of_all = npy_intp{64} << 20;
constexpr npy_intp always_kept_bytes = npy_intp{1}
                                       << 18;  // a copy of a larger one is made when it comes again

struct Kept {
  Ref local;   // a copy of what was sent
  Ref remote;  // the array on the engines
};
std::deque<Kept>& kept() {
  static auto* all = new std::deque<Kept>;  // never destroyed: Python ends before statics are
  return *all;
}

bool is_usable(const Kept& entry) {
  const Array* array = as_array(entry.remote.get());
  const auto& session = *array->b->session;
  return session->is_current() && session->recorder().poison_of(array->b->id) == nullptr;
}

bool is_equal(PyArrayObject* left, PyArrayObject* right) {
  return PyArray_TYPE(left) == PyArray_TYPE(right) && PyArray_SAMESHAPE(left, right) &&
         std::memcmp(PyArray_DATA(left), PyArray_DATA(right),
                     static_cast<std::size_t>(PyArray_NBYTES(left))) == 0;
}

// Where the last large arrays lay that were sent and not kept.
bool was_seen(PyArrayObject* local) {
  static std::deque<std::pair<const void*, npy_intp>> seen;
  const std::pair<const void*, npy_intp> place{PyArray_DATA(local), PyArray_NBYTES(local)};
  if (const auto found = std::find(seen.begin(), seen.end(), place); found != seen.end()) {
    seen.erase(found);
    return true;
  }
  if (seen.size() == most_kept) seen.pop_back();
  seen.push_front(place);
  return false;
}

// What is kept takes the engines' memory, too: at most a sixteenth of it.
npy_intp limit_of(PyObject* remote) {
  const std::int64_t heap_bytes = (*as_array(remote)->b->session)->engines().heap_bytes();
  return heap_bytes == 0 ? most_bytes_of_all : std::min<npy_intp>(most_bytes_of_all, heap_bytes / 16);
}

void keep(Ref copy, PyObject* remote) {
  auto& all = kept();
  const npy_intp limit = limit_of(remote);
  all.push_front({std::move(copy), Ref::borrow(remote)});
  npy_intp bytes = 0;
  std::size_t count = 0;
  for (const Kept& entry : all) {
    bytes += PyArray_NBYTES(as_numpy(entry.local));
    if (bytes > limit || count == most_kept) break;
    ++count;
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
}

Ref upload_once(PyArrayObject* local) {
  if (PyArray_NBYTES(local) > most_bytes || PyArray_ISBYTESWAPPED(local)) return upload(local);
  const bool is_plain = PyArray_IS_C_CONTIGUOUS(local);
  Ref source = is_plain ? Ref::borrow(reinterpret_cast<PyObject*>(local))
                        : Ref::checked(PyArray_NewCopy(local, NPY_CORDER));
  auto& all = kept();
  std::erase_if(all, [](const Kept& entry) { return !is_usable(entry); });
  for (auto entry = all.begin(); entry != all.end(); ++entry) {
    if (!is_equal(as_numpy(entry->local), as_numpy(source))) continue;
    Ref remote = Ref::borrow(entry->remote.get());
    std::rotate(all.begin(), entry, entry + 1);  // last used first
    return remote;
  }
  Ref remote = upload(as_numpy(source));
  if (PyArray_NBYTES(local) > always_kept_bytes && !was_seen(local)) return remote;
  keep(is_plain ? Ref::checked(PyArray_NewCopy(local, NPY_CORDER)) : std::move(source), remote.get());
  return remote;
}

}  // namespace

Ref uploaded(PyArrayObject* local) {
  std::vector<npy_intp> extents(PyArray_DIMS(local), PyArray_DIMS(local) + PyArray_NDIM(local));
  bool is_broadcast = false;
  for (int dim = 0; dim < PyArray_NDIM(local); ++dim) {
    if (PyArray_STRIDE(local, dim) == 0 && PyArray_DIM(local, dim) > 1) {
      extents[static_cast<std::size_t>(dim)] = 1;
      is_broadcast = true;
    }
  }
  if (!is_broadcast) return with_zeros_and_ones(upload_once(local));
  PyArray_Descr* descr = PyArray_DESCR(local);
  Py_INCREF(descr);
  Ref compact = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(local), extents.data(),
                                                  PyArray_STRIDES(local), PyArray_DATA(local), 0, nullptr));
  return with_zeros_and_ones(upload_once(as_numpy(compact)));
}

}  // namespace gamelan::kernel
