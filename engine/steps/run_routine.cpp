// SPDX-License-Identifier: BSD-3-Clause
// Calls a user's routine on arrays where they lie: during the call each is a Global Array, without a copy.
// Every rank takes part, and has finished all earlier steps. No rank goes on before the routine has ended on
// all ranks.
#include <ga.h>
#include <macdecls.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/steps/routines.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

int ga_type_of(protocol::Dtype dtype) {
  switch (dtype) {
    case protocol::Dtype::int32:
      return C_INT;
    case protocol::Dtype::int64:
      return C_LONG;
    case protocol::Dtype::float32:
      return C_FLOAT;
    case protocol::Dtype::float64:
      return C_DBL;
    case protocol::Dtype::complex64:
      return C_SCPL;
    case protocol::Dtype::complex128:
      return C_DCPL;
    default:
      throw protocol::Error(protocol::ErrorKind::type, "[routine] Global Arrays have no arrays of " +
                                                           std::string(protocol::info(dtype).name));
  }
}

/// GA handles for slots; the destructor ends them. Collective.
class Handles {
 public:
  explicit Handles(distribution::Heap& heap) : heap_(heap) {}
  ~Handles() {
    for (const int handle : all) heap_.unplace(handle);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  void add(const plan::ArrayInfo& info, std::size_t offset) {
    std::vector<std::int64_t> map, blocks;
    for (const auto& axis : info.layout.axes) {
      blocks.push_back(axis.parts);
      for (int c = 0; c < axis.parts; ++c) map.push_back(axis.interval(c).first);
    }
    all.push_back(heap_.place(ga_type_of(info.dtype), info.extents, map, blocks, offset));
  }

  std::vector<int> all;

 private:
  distribution::Heap& heap_;
};

}  // namespace

void run(const StepContext& context, const plan::Routine& routine) {
  const auto& bytes = context.payload(routine.payload);
  const std::string name(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto& comm = context.comm();
  routines::Function function = nullptr;
  std::optional<protocol::Error> missing;
  try {
    function = routines::find(name);
  } catch (const protocol::Error& error) {
    missing = error;
  }
  comm.throw_together(missing);
  int code = 0;
  {
    Handles handles(context.heap());
    for (const int slot : routine.slots) handles.add(context.info(slot), context.storage(slot).block.offset);
    code = function(static_cast<int>(handles.all.size()), handles.all.data(),
                    static_cast<int>(routine.numbers.size()), routine.numbers.data());
    GA_Sync();
  }
  std::optional<protocol::Error> problem;
  if (code != 0)
    problem.emplace(protocol::ErrorKind::value, "[routine] " + name.substr(0, name.find('@')) + " returned " +
                                                    std::to_string(code) + " on rank " +
                                                    std::to_string(context.rank()));
  comm.throw_together(problem);
}

}  // namespace gamelan::engine::steps
