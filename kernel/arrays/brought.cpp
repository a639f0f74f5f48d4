// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/brought.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/sweep.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::View;

namespace {

constexpr int uses_before = 2;                                 // on the engines
constexpr std::int64_t most_elements = std::int64_t{1} << 18;  // of one part: more are as soon computed there
constexpr std::int64_t most_bytes = std::int64_t{64} << 20;    // of all that is kept here
constexpr std::int64_t most_work = 4'000'000;                  // recorded and not sent: a millisecond or two
constexpr std::size_t most_parts_here = 1024;
constexpr std::size_t most_parts = 4;   // of one array
constexpr std::size_t most_ahead = 16;  // fetches of a loop over parts of one array

std::int64_t held_bytes = 0;

// The elements of a view without what its axes say: in the order of memory, and none repeated that a
// broadcast axis repeats.
struct Region {
  View view;
  std::vector<int> axis_of;  // by axis of the view it was made of: the axis of the region, -1 for none
};

Region region_of(const View& view) {
  const auto dims = static_cast<int>(view.extents.size());
  const auto at = [](const auto& values, int dim) { return values[static_cast<std::size_t>(dim)]; };
  std::vector<int> order;
  Region region{{view.base, view.dtype, view.offset, {}, {}}, std::vector<int>(view.extents.size(), -1)};
  for (int dim = 0; dim < dims; ++dim) {
    if (at(view.extents, dim) == 1 || at(view.strides, dim) == 0) continue;
    order.push_back(dim);
    if (at(view.strides, dim) < 0) region.view.offset += (at(view.extents, dim) - 1) * at(view.strides, dim);
  }
  std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
    return std::abs(at(view.strides, left)) > std::abs(at(view.strides, right));
  });
  for (int dim : order) {
    region.axis_of[static_cast<std::size_t>(dim)] = static_cast<int>(region.view.extents.size());
    region.view.extents.push_back(at(view.extents, dim));
    region.view.strides.push_back(std::abs(at(view.strides, dim)));
  }
  return region;
}

bool is_same(const View& left, const View& right) {
  return left.dtype == right.dtype && left.offset == right.offset && left.extents == right.extents &&
         left.strides == right.strides;
}

// Fetched elements. NumPy's arrays over them keep them alive; nobody changes them.
struct Held {
  explicit Held(protocol::Bytes its_bytes) : bytes(std::move(its_bytes)) {
    held_bytes += static_cast<std::int64_t>(bytes.size());
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { held_bytes -= static_cast<std::int64_t>(bytes.size()); }

  const protocol::Bytes bytes;
};

struct Part {
  explicit Part(View its_region) : region(std::move(its_region)) {}

  View region;
  int uses = 0;
  std::uint64_t last_use = 0;
  std::shared_ptr<const Held> held;  // null: it is not here
};

std::uint64_t use_count = 0;  // of all parts

// Parts that are here; what was used longest ago goes when they are too many.
std::vector<std::weak_ptr<Part>>& parts_here() {
  static auto* all = new std::vector<std::weak_ptr<Part>>;  // never destroyed: Python ends before statics are
  return *all;
}

// The elements, now also here. They may go again at any time: who needs them holds what this returns.
std::shared_ptr<const Held> keep(const std::shared_ptr<Part>& part, protocol::Bytes bytes) {
  auto& all = parts_here();
  std::erase_if(all, [](const auto& each) { return each.expired() || each.lock()->held == nullptr; });
  auto held = std::make_shared<const Held>(std::move(bytes));
  part->held = held;
  part->last_use = ++use_count;  // other threads have used theirs meanwhile
  all.push_back(part);
  while (all.size() > most_parts_here || (held_bytes > most_bytes && all.size() > 1)) {
    const auto oldest = std::min_element(all.begin(), all.end(), [](const auto& left, const auto& right) {
      return left.lock()->last_use < right.lock()->last_use;
    });
    oldest->lock()->held = nullptr;
    all.erase(oldest);
  }
  return held;
}

}  // namespace

// What is known of the parts of one array while it has `version`, last used first.
struct Parts {
  std::uint64_t version = 0;
  std::vector<std::shared_ptr<Part>> all;
  Sweep sweep;                               // over parts
  std::vector<std::shared_ptr<Part>> ahead;  // of the sweep, along a first axis, last used first
};

namespace {

Parts& parts_of(Base* base) {
  if (base->parts == nullptr) base->parts = new Parts;
  if (base->is_shared) ++base->version;
  if (base->parts->version != base->version) *base->parts = Parts{base->version, {}, {}, {}};
  return *base->parts;
}

std::shared_ptr<Part> part_of(Base* base, Parts& parts, const Region& region) {
  auto& all = parts.all;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return is_same(each->region, region.view); });
  if (found != all.end()) {
    std::rotate(all.begin(), found, found + 1);
  } else {
    if (all.size() == most_parts) all.pop_back();
    all.insert(all.begin(), std::make_shared<Part>(region.view));
    parts.sweep.note(region.view, (*base->session)->batches());
  }
  all.front()->last_use = ++use_count;
  return all.front();
}

bool is_at_rest(const Base* base) {
  const Recorder& recorder = (*base->session)->recorder();
  return base->written <= recorder.recorded_commands() - recorder.pending().commands.size();
}

// False where the elements are lost: then the engines' way says why.
bool is_sound(const Base* base) {
  const Session& session = **base->session;
  return base->is_recorded && session.is_current() && !(*base->session)->engines().has_ended() &&
         (*base->session)->recorder().poison_of(base->id) == nullptr;
}

constexpr const char* capsule_name = "gamelan.part";
using Owner = std::shared_ptr<const Held>;

void free_owner(PyObject* capsule) {
  delete static_cast<Owner*>(PyCapsule_GetPointer(capsule, capsule_name));
}

// The part with the axes of the view that it was made of, as a read-only NumPy array over what is kept.
Ref array_over(const Owner& held, std::size_t place, const Region& region, PyArrayObject* proxy) {
  const int dims = PyArray_NDIM(proxy);
  const npy_intp size = PyArray_ITEMSIZE(proxy);
  std::vector<npy_intp> steps(region.view.extents.size());
  npy_intp step = size;
  for (std::size_t axis = steps.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= region.view.extents[axis];
  }
  std::vector<npy_intp> strides(static_cast<std::size_t>(dims), 0);
  const std::byte* first = held->bytes.data() + place;
  for (int dim = 0; dim < dims; ++dim) {
    const int axis = region.axis_of[static_cast<std::size_t>(dim)];
    if (axis < 0) continue;
    npy_intp& stride = strides[static_cast<std::size_t>(dim)];
    stride = steps[static_cast<std::size_t>(axis)];
    if (PyArray_STRIDE(proxy, dim) >= 0) continue;
    first += (PyArray_DIM(proxy, dim) - 1) * stride;
    stride = -stride;
  }
  PyArray_Descr* const descr = PyArray_DESCR(proxy);
  Py_INCREF(descr);
  Ref result = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, dims, PyArray_DIMS(proxy),
                                                 strides.data(), const_cast<std::byte*>(first), 0, nullptr));
  auto* const owner = new Owner(held);
  Ref capsule(PyCapsule_New(owner, capsule_name, free_owner));
  if (!capsule) {
    delete owner;
    throw PythonError();
  }
  if (PyArray_SetBaseObject(as_numpy(result), capsule.release()) < 0) throw PythonError();
  return result;
}

struct Wanted {
  PyArrayObject* proxy;
  Base* base;
  Region region;
  std::shared_ptr<Part> part;  // or those that follow it, too
  Owner held;
  std::size_t place = 0;  // in what is held, in bytes
};

// What is here of a loop over parts.
bool find_in_sweep(Wanted& wanted, Parts& parts) {
  for (auto each = parts.ahead.begin(); each != parts.ahead.end(); ++each) {
    const auto place = place_in((*each)->region, wanted.region.view);
    if (!place || (*each)->held == nullptr) continue;
    wanted.part = *each;
    wanted.held = wanted.part->held;
    wanted.place = *place;
    wanted.part->last_use = ++use_count;
    parts.sweep.note(wanted.region.view, (*wanted.base->session)->batches());
    std::rotate(parts.ahead.begin(), each, each + 1);
    return true;
  }
  return false;
}

// When the loop has come so far: the parts that follow are to come, too.
void look_ahead(Wanted& wanted, Parts& parts) {
  if (wanted.held != nullptr || !is_at_rest(wanted.base)) return;
  for (const auto& each : parts.ahead)  // another operand, or another thread, has asked for it
    if (const auto place = place_in(each->region, wanted.region.view)) {
      wanted.part = each;
      wanted.place = *place;
      return;
    }
  std::erase_if(parts.ahead, [](const auto& each) { return each->held == nullptr; });
  const bool goes_on = !parts.ahead.empty() && is_of(parts.ahead.front()->region, wanted.region.view);
  const std::int64_t before = goes_on ? parts.ahead.front()->region.extents.front() : 0;
  const auto region = parts.sweep.ahead(wanted.region.view, wanted.base->bytes, before);
  if (!region) return;
  if (parts.ahead.size() == most_ahead) parts.ahead.pop_back();
  wanted.part = std::make_shared<Part>(*region);
  wanted.part->uses = uses_before;
  wanted.part->last_use = ++use_count;
  parts.ahead.insert(parts.ahead.begin(), wanted.part);
}

// Each distributed operand; empty when one of them is no small part.
std::vector<Wanted> wanted_of(std::span<PyObject* const> operands) {
  std::vector<Wanted> all;
  for (PyObject* operand : operands) {
    if (!is_distributed(operand)) continue;
    const Array* array = as_array(operand);
    PyArrayObject* const proxy = data_of(array);
    const npy_intp size = PyArray_SIZE(proxy);
    if (size == 0 || size > most_elements || size >= threshold()) return {};
    if (array->b->may_hold_any_bytes && PyArray_TYPE(proxy) == NPY_BOOL) return {};
    if (!is_sound(array->b)) return {};
    all.push_back({proxy, array->b, region_of(view_of(array)), nullptr, nullptr});
  }
  for (Wanted& each : all) {
    Parts& parts = parts_of(each.base);
    if (find_in_sweep(each, parts)) continue;
    each.part = part_of(each.base, parts, each.region);
    each.held = each.part->held;
    look_ahead(each, parts);
  }
  return all;
}

// True when what is not here can be fetched without waiting for much else.
bool can_be_fetched(const std::vector<Wanted>& all) {
  const Session& session = **all.front().base->session;
  return session.is_quiet(most_work) && std::all_of(all.begin(), all.end(), [&](const Wanted& each) {
           return each.base->session->get() == &session;
         });
}

void fetch_missing(std::vector<Wanted>& all) {
  std::vector<View> views;
  std::vector<std::shared_ptr<Part>> missing;
  for (const Wanted& each : all) {
    if (each.held || std::find(missing.begin(), missing.end(), each.part) != missing.end()) continue;
    missing.push_back(each.part);
    views.push_back(each.part->region);
  }
  auto payloads = (*all.front().base->session)->fetch(std::move(views));  // meanwhile other threads run
  for (std::size_t place = 0; place < missing.size(); ++place) {
    auto held = missing[place]->held;
    if (held == nullptr) held = keep(missing[place], std::move(payloads[place]));
    for (Wanted& each : all)
      if (each.part == missing[place]) each.held = held;
  }
}

}  // namespace

std::optional<std::vector<Ref>> brought(std::span<PyObject* const> operands, int depth) {
  if (call_number::depth() > depth) return {};
  std::vector<Wanted> all = wanted_of(operands);
  if (all.empty()) return {};
  const bool is_worth_it = std::any_of(all.begin(), all.end(), [](const Wanted& each) {
    return each.held != nullptr || (each.part->uses >= uses_before && is_at_rest(each.base));
  });
  for (Wanted& each : all) ++each.part->uses;
  if (!is_worth_it) return {};
  Session::require_own_process();
  if (!std::all_of(all.begin(), all.end(), [](const Wanted& each) { return each.held != nullptr; })) {
    if (!can_be_fetched(all)) return {};
    fetch_missing(all);
  }
  std::vector<Ref> result;
  auto next = all.begin();
  for (PyObject* operand : operands) {
    if (!is_distributed(operand)) {
      result.push_back(Ref::borrow(operand));
      continue;
    }
    result.push_back(array_over(next->held, next->place, next->region, next->proxy));
    ++next;
  }
  return result;
}

void forget(Parts* parts) noexcept { delete parts; }

}  // namespace gamelan::kernel
