// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/holders.hpp"

#include <algorithm>
#include <utility>

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

namespace {
constexpr std::size_t most_marks = 64;  // of a holder: an undo goes back to fifty
}

void Holders::note(ArrayId id, Holder maker, const protocol::Origin& line, std::uint64_t batch) {
  if (!line.file.empty() && (last_file_ == nullptr || *last_file_ != line.file))
    last_file_ = std::make_shared<const std::string>(line.file);
  facts_.insert_or_assign(id,
                          Facts{maker, line.file.empty() ? nullptr : last_file_, line.line, batch, maker, 0});
}

void Holders::note_write(ArrayId id, Holder writer, std::uint64_t batch) {
  const auto found = facts_.find(id);
  if (found == facts_.end()) return;
  auto& facts = found->second;
  facts.written = batch;
  facts.writer = writer;
  if (writer != facts.maker) facts.written_by_others = batch;
}

std::vector<Holders::Foreign> Holders::written_by_others() const {
  std::vector<Foreign> all;
  for (const auto& each : shared_)
    if (const auto found = facts_.find(each.first); found != facts_.end())
      if (const auto& facts = found->second; facts.written_by_others > 0)
        all.push_back({each.first, facts.maker, facts.written_by_others});
  return all;
}

void Holders::let_go(Holder holder, std::vector<ArrayId>& frees) {
  if (holder == 0) {
    if (!shared_.empty())
      for (const auto id : frees) shared_.erase(id);
    return;
  }
  std::erase_if(frees, [&](ArrayId id) {
    if (const auto found = shared_.find(id); found != shared_.end()) {
      const auto own = found->second.find(holder);
      if (own != found->second.end() && --own->second == 0) found->second.erase(own);
      if (!found->second.empty() || is_named(id)) return true;
      shared_.erase(found);
      return false;
    }
    const auto facts = facts_.find(id);
    return facts != facts_.end() && facts->second.maker != holder;
  });
}

Holders::Parted Holders::leave(Holder holder, bool clears) {
  Parted parted;
  if (holder == 0) return parted;
  const auto is_made = [&](ArrayId id) {
    const auto facts = facts_.find(id);
    return facts != facts_.end() && facts->second.maker == holder;
  };
  for (const auto& [id, facts] : facts_)
    if (facts.maker == holder && !shared_.contains(id)) parted.frees.push_back(id);
  if (clears)
    std::erase_if(names_, [&](const auto& each) {
      return each.second.publisher == holder || is_made(each.second.array);
    });
  for (auto next = shared_.begin(); next != shared_.end();) {
    const auto here = next++;
    auto& [id, holders] = *here;
    holders.erase(holder);
    const bool is_kept = !holders.empty() || is_named(id);
    if (is_kept && !(clears && is_made(id))) continue;
    parted.frees.push_back(id);
    if (is_kept) parted.lost.push_back(id);
    shared_.erase(here);
  }
  std::sort(parted.frees.begin(), parted.frees.end());
  if (!clears) {
    const bool has_published = std::any_of(names_.begin(), names_.end(),
                                           [&](const auto& each) { return each.second.publisher == holder; });
    if (!has_published) who_.erase(holder);
    std::erase_if(marks_, [&](const auto& each) { return owner_after(each.first) == holder; });
  }
  return parted;
}

Holders::Rejoined Holders::rejoin(Holder holder) {
  Rejoined rejoined;
  const std::string name = who_.contains(holder) ? who(holder) : "";
  rejoined.frees = leave(holder, false).frees;
  if (!name.empty()) who_.emplace(holder, name);  // it has introduced itself before it asks for this
  for (auto& [id, holders] : shared_) {
    const auto facts = facts_.find(id);
    if (facts == facts_.end() || facts->second.maker != holder) continue;
    holders[holder] = 1;
    rejoined.kept.push_back(id);
  }
  return rejoined;
}

void Holders::mark(Holder holder, std::uint64_t key, std::uint64_t batch) {
  auto& marks = marks_[holder];
  marks.emplace_back(key, batch);
  if (marks.size() > most_marks) marks.pop_front();
}

const Holders::Marks& Holders::marks_of(Holder holder) const {
  static const Marks none;
  const auto found = marks_.find(holder);
  return found == marks_.end() ? none : found->second;
}

Holders::Inherited Holders::inherit(Holder heir, Holder earlier, std::uint64_t key) {
  Inherited inherited;
  const auto owner = owner_after(earlier);
  if (heir == 0 || earlier == 0 || heir == owner) return inherited;
  std::uint64_t moment = 0;
  for (const auto& [number, batch] : marks_of(earlier))
    if (number == key) moment = batch;
  for (auto& [id, facts] : facts_) {
    if (facts.maker != owner) continue;
    facts.maker = heir;
    if (!shared_.contains(id)) (facts.written <= moment ? inherited.same : inherited.others).push_back(id);
  }
  for (auto& [id, holders] : shared_)
    if (const auto own = holders.find(owner); own != holders.end()) {
      holders[heir] += own->second;
      holders.erase(own);
      inherited.shared.push_back(id);
      const auto facts = facts_.find(id);
      if (facts != facts_.end() && facts->second.written > moment) inherited.written.push_back(id);
    }
  for (auto& [name, published] : names_)
    if (published.publisher == owner) {
      published.publisher = heir;
      inherited.names.emplace_back(name, published);
    }
  for (auto* ids : {&inherited.same, &inherited.others}) std::sort(ids->begin(), ids->end());
  heirs_.erase(heir);  // it is one that comes back: so there is never a circle
  heirs_[owner] = heir;
  return inherited;
}

Holders::Holder Holders::heir_of(Holder holder) const {
  const auto found = heirs_.find(holder);
  return found == heirs_.end() ? 0 : found->second;
}

Holders::Holder Holders::owner_after(Holder holder) const {
  while (const auto heir = heir_of(holder)) holder = heir;
  return holder;
}

std::string Holders::who(Holder holder) const {
  const auto found = who_.find(holder);
  return found == who_.end() ? "a client that did not say who it is" : found->second;
}

void Holders::publish(const std::string& name, Published published) {
  if (const auto found = names_.find(name); found != names_.end())
    throw Error(
        ErrorKind::value,
        "'" + name + "' has been published by " +
            (found->second.publisher == published.publisher ? "this program" : who(found->second.publisher)) +
            ": np.unpublish('" + name + "') first, or take another name");
  shared(published.array);
  names_.emplace(name, std::move(published));
}

const Holders::Published& Holders::attach(const std::string& name, Holder holder) {
  const auto& published = at(name);
  ++shared(published.array)[holder];
  return published;
}

std::vector<Holders::ArrayId> Holders::unpublish(const std::string& name) {
  const ArrayId id = at(name).array;
  names_.erase(name);
  const auto found = shared_.find(id);
  if (found == shared_.end() || !found->second.empty() || is_named(id)) return {};
  shared_.erase(found);
  return {id};
}

std::set<Holders::Holder> Holders::of(ArrayId id) const {
  std::set<Holder> holders;
  if (const auto found = shared_.find(id); found != shared_.end()) {
    for (const auto& each : found->second) holders.insert(each.first);
    return holders;
  }
  const auto facts = facts_.find(id);
  if (facts != facts_.end()) holders.insert(facts->second.maker);
  return holders;
}

const Holders::Published& Holders::at(const std::string& name) const {
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  std::string there;
  for (const auto& each : names_) there += (there.empty() ? "'" : ", '") + each.first + "'";
  throw Error(ErrorKind::key, "nothing is published as '" + name + "' on these engines; there " +
                                  (there.empty() ? "is nothing" : "are " + there));
}

bool Holders::is_named(ArrayId id) const {
  return std::any_of(names_.begin(), names_.end(), [&](const auto& each) { return each.second.array == id; });
}

Holders::Counts& Holders::shared(ArrayId id) {
  const auto [found, is_new] = shared_.try_emplace(id);
  const auto facts = facts_.find(id);
  if (is_new && facts != facts_.end()) found->second[facts->second.maker] = 1;
  return found->second;
}

}  // namespace gamelan::engine
