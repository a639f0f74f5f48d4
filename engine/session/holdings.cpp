// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/holdings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace gamelan::engine {
namespace {

using protocol::ArrayId;
using Json = nlohmann::json;

constexpr std::size_t most_listed = 10'000;  // of the arrays: a reply stays short of megabytes

struct Listed {
  ArrayId id;
  const Holders::Facts* facts;
  std::int64_t bytes;
};

}  // namespace

std::string describe(const Holders& holders, const ArrayTable& arrays, const ElidedCopies& elided,
                     Holders::Holder asking) {
  struct Sum {
    std::int64_t arrays = 0, bytes = 0;
  };
  std::map<Holders::Holder, Sum> sums;
  std::vector<Listed> listed;
  for (const auto& [id, facts] : holders.all()) {
    const auto* array = arrays.find(id);
    const auto bytes = array == nullptr ? 0 : array->bytes();
    listed.push_back({id, &facts, bytes});
    for (const auto holder : holders.of(id)) {
      sums[holder].arrays += 1;
      sums[holder].bytes += bytes;
    }
  }
  std::sort(listed.begin(), listed.end(), [](const Listed& left, const Listed& right) {
    return left.bytes != right.bytes ? left.bytes > right.bytes : left.id < right.id;
  });
  const auto named_by = [&](const Holders::Holder holder) { return holder == 0 ? "" : holders.who(holder); };
  Json told = {{"holders", Json::array()},
               {"arrays", Json::array()},
               {"published", Json::array()},
               {"unlisted", listed.size() > most_listed ? listed.size() - most_listed : 0}};
  told["marks"] = Json::array();
  for (const auto& [key, batch] : holders.marks_of(asking)) told["marks"].push_back({key, batch});
  for (const auto& [holder, sum] : sums)
    told["holders"].push_back(
        {{"holder", holder}, {"who", named_by(holder)}, {"arrays", sum.arrays}, {"bytes", sum.bytes}});
  for (std::size_t index = 0; index < std::min(listed.size(), most_listed); ++index) {
    const auto& [id, facts, bytes] = listed[index];
    const auto* array = arrays.find(id);
    Json each = {{"id", id},
                 {"bytes", bytes},
                 {"holders", holders.of(id)},
                 {"file", facts->file == nullptr ? "" : *facts->file},
                 {"line", facts->line},
                 {"written", facts->written},
                 {"writer", facts->writer},
                 {"written_by_others", facts->written_by_others},
                 {"is_lost", array == nullptr && !elided.contains(id)}};
    if (array != nullptr) {
      each["shape"] = array->info.extents;
      each["dtype"] = protocol::info(array->info.dtype).name;
    }
    told["arrays"].push_back(std::move(each));
  }
  for (const auto& [name, published] : holders.published())
    told["published"].push_back({{"name", name},
                                 {"array", published.array},
                                 {"by", named_by(published.publisher)},
                                 {"about", published.about}});
  return told.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gamelan::engine
