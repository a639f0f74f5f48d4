// SPDX-License-Identifier: BSD-3-Clause
// HDF5: every rank opens the file for itself and asks the library for its own block of the dataset, in slabs
// that end where rows of chunks do, so that a chunk is unpacked once on a rank. The library converts the
// elements.
#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "engine/steps/files/file.hpp"
#include "engine/steps/run_step.hpp"
#include "protocol/datasets.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Dtype;
using protocol::Error;
using protocol::ErrorKind;

constexpr std::int64_t slab_bytes = 16 << 20;  // between looks at messages

/// The innermost reason that the library gives.
std::string reason() {
  std::string text = "no reason given";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned level, const H5E_error2_t* error, void* out) -> herr_t {
        if (level == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  return text;
}

/// A handle of the library, closed at the end. Throws Error{value} with what the library said when it got
/// none.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id_ < 0) throw Error(ErrorKind::value, std::string("[read_hdf5] ") + what + ": " + reason());
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: it stands for the handle in every call

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t result, const char* what) {
  if (result < 0) throw Error(ErrorKind::value, std::string("[read_hdf5] ") + what + ": " + reason());
}

/// A real or integer as we have it in memory.
hid_t copy_of_real(Dtype dtype) {
  switch (dtype) {
    case Dtype::int8:
      return H5Tcopy(H5T_NATIVE_INT8);
    case Dtype::int16:
      return H5Tcopy(H5T_NATIVE_INT16);
    case Dtype::int32:
      return H5Tcopy(H5T_NATIVE_INT32);
    case Dtype::int64:
      return H5Tcopy(H5T_NATIVE_INT64);
    case Dtype::uint8:
      return H5Tcopy(H5T_NATIVE_UINT8);
    case Dtype::uint16:
      return H5Tcopy(H5T_NATIVE_UINT16);
    case Dtype::uint32:
      return H5Tcopy(H5T_NATIVE_UINT32);
    case Dtype::uint64:
      return H5Tcopy(H5T_NATIVE_UINT64);
    case Dtype::float32:
      return H5Tcopy(H5T_NATIVE_FLOAT);
    case Dtype::float64:
      return H5Tcopy(H5T_NATIVE_DOUBLE);
    case Dtype::float16: {
      const hid_t half = H5Tcopy(H5T_NATIVE_FLOAT);
      require(H5Tset_fields(half, 15, 10, 5, 0, 10), "no half precision");
      require(H5Tset_size(half, 2), "no half precision");
      require(H5Tset_ebias(half, 15), "no half precision");
      return half;
    }
    default:
      throw Error(ErrorKind::internal, "[read_hdf5] no such dtype in HDF5");
  }
}

/// h5py's conventions: a bool is an enumeration, a complex number a record of `r` and `i`.
hid_t type_in_memory(Dtype dtype) {
  if (dtype == Dtype::bool_) {
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    for (const auto& [name, value] : {std::pair{"FALSE", std::int8_t{0}}, std::pair{"TRUE", std::int8_t{1}}})
      H5Tenum_insert(type, name, &value);
    return type;
  }
  if (protocol::info(dtype).kind != 'c') return copy_of_real(dtype);
  const auto size = protocol::size_of(dtype);
  const Handle part(copy_of_real(size == 8 ? Dtype::float32 : Dtype::float64), H5Tclose, "no type");
  const hid_t type = H5Tcreate(H5T_COMPOUND, size);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", size / 2, part);
  return type;
}

/// Opens files without locks: other programs may read at the same time, and some network file systems have no
/// locks.
hid_t access_without_locks() {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  return access;
}

/// Indices of the first axis in a chunk, 1 where the dataset has none.
std::int64_t rows_of_chunk(hid_t dataset, std::size_t dims) {
  const Handle plan(H5Dget_create_plist(dataset), H5Pclose, "no properties");
  if (H5Pget_layout(plan) != H5D_CHUNKED) return 1;
  std::vector<hsize_t> extents(dims);
  require(H5Pget_chunk(plan, static_cast<int>(dims), extents.data()), "no chunks");
  return static_cast<std::int64_t>(extents[0]);
}

/// Reads the box `mine` of the part into `memory`, in C order.
void read(const StepContext& context, hid_t dataset, const plan::ReadHdf5& step,
          const distribution::Box& mine, std::byte* memory) {
  const auto dims = mine.size();
  const Handle space(H5Dget_space(dataset), H5Sclose, "no extents"),
      type(type_in_memory(step.dtype), H5Tclose, "no type");
  if (H5Sget_simple_extent_ndims(space) != static_cast<int>(dims))
    throw Error(ErrorKind::value, "[read_hdf5] the dataset has other dimensions than the notebook saw");
  std::vector<hsize_t> start, step_of, count;
  auto row_bytes = static_cast<std::int64_t>(protocol::size_of(step.dtype));
  for (std::size_t k = 0; k < dims; ++k) {
    start.push_back(static_cast<hsize_t>(step.part.start[k] + mine[k].first * step.part.step[k]));
    step_of.push_back(static_cast<hsize_t>(step.part.step[k]));
    count.push_back(static_cast<hsize_t>(mine[k].size()));
    if (k > 0) row_bytes *= mine[k].size();
  }
  const auto chunk = rows_of_chunk(dataset, dims), stride = step.part.step[0];
  const auto wanted = std::max<std::int64_t>(slab_bytes / row_bytes, 1) * stride;  // rows of the dataset
  for (std::int64_t at = 0, rows = 0; at < mine[0].size(); at += rows) {
    const auto row = step.part.start[0] + (mine[0].first + at) * stride;
    const auto end = (row + wanted + chunk - 1) / chunk * chunk;
    rows = std::min((end - row + stride - 1) / stride, mine[0].size() - at);
    start[0] = static_cast<hsize_t>(row);
    count[0] = static_cast<hsize_t>(rows);
    require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), step_of.data(), count.data(), nullptr),
            "no such part of the dataset");
    const Handle here(H5Screate_simple(static_cast<int>(dims), count.data(), nullptr), H5Sclose,
                      "no extents");
    require(H5Dread(dataset, type, here, space, H5P_DEFAULT, memory + at * row_bytes),
            "the dataset cannot be read");
    context.progress();
  }
}

}  // namespace

void run(const StepContext& context, const plan::ReadHdf5& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (distribution::is_empty(mine)) return;
  const auto [path, name] = protocol::hdf5_names(context.payload(step.payload));
  const auto* bytes = reinterpret_cast<const std::byte*>(path.data());
  File(protocol::Bytes(bytes, bytes + path.size()), File::Access::read)
      .close();  // what the system says of it, in its words
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(access_without_locks(), H5Pclose, "no properties");
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose,
                    "the file cannot be opened as HDF5");
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "the dataset cannot be opened");
  read(context, dataset, step, mine, context.own_block(step.out));
}

}  // namespace gamelan::engine::steps
