// SPDX-License-Identifier: BSD-3-Clause
// The function around a schedule: registers for addresses, the loop over whole vectors, the masked rest,
// early exits.
#include "engine/jit/compile.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <span>

#include "engine/jit/emitter.hpp"

namespace gamelan::engine::jit {
namespace {

using Xbyak::Reg64;

constexpr std::size_t bytes_per_action = 64,
                      bytes_around = 4096;  // generous: an instruction has 15 at most, an action five
constexpr std::size_t most_nodes_side_by_side = 2000;  // the code should stay in its cache

/// A trace and all decisions about it.
struct Body {
  Trace trace;
  Schedule schedule;
  int parts = 1;
};

/// Computes as many vectors side by side as there are registers for.
Body make_body(const Trace& trace, const std::vector<Exit>& exits, int parts) {
  Widened wide = widen(trace, parts);
  Schedule schedule = make_schedule(wide.trace, widen(exits, wide, parts));
  return {std::move(wide.trace), std::move(schedule), parts};
}
int parts_for(const Trace& trace, bool has_exits) {
  const Pressure most = pressure(trace);
  for (const int parts : {4, 2}) {
    const bool is_too_long = trace.nodes.size() * static_cast<std::size_t>(parts) > most_nodes_side_by_side;
    const bool is_too_wide =
        most.vectors * parts > vector_registers - 3 || most.masks * parts > mask_registers;
    if (!is_too_long && !is_too_wide && !(has_exits && parts > 2)) return parts;
  }
  return 1;
}

std::size_t room_for(const Body& wide, const Body& single) {
  const auto actions = [](const Schedule& schedule) {
    std::size_t count = schedule.once.size() + schedule.actions.size();
    for (const auto& exit : schedule.exits) count += exit.size() + 1;
    return count;
  };
  return (2 * actions(wide.schedule) + actions(single.schedule)) * bytes_per_action + bytes_around;
}

/// Writes the function to `room`. It can run at any address, because it refers to nothing outside.
class Writer : private Emitter {
 public:
  Writer(const Body& wide, const Body& single, std::span<std::byte> room)
      : Emitter(lanes(single.trace), room),
        wide_(wide),
        single_(single),
        spill_slots_(std::max(wide.schedule.spill_slots, single.schedule.spill_slots)) {
    give_addresses();
    emit_function();
    ready();
  }
  std::size_t bytes() const { return getSize(); }

 private:
  /// Gives the most used places a register for their address.
  void give_addresses() {
    std::vector<int> touched(single_.trace.alias.size(), 0);
    for (const Node& node : single_.trace.nodes)
      if (node.place >= 0) ++touched[static_cast<std::size_t>(node.place)];
    std::vector<int> order;
    for (std::size_t place = 0; place < touched.size(); ++place)
      if (touched[place] > 0) order.push_back(static_cast<int>(place));
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      return touched[static_cast<std::size_t>(x)] > touched[static_cast<std::size_t>(y)];
    });
    address_.assign(touched.size(), -1);
    for (std::size_t k = 0; k < std::min(order.size(), address_registers_.size()); ++k)
      address_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }

  Xbyak::RegExp element(int place, std::size_t item_bytes, int part) override {
    const int size = static_cast<int>(item_bytes);
    return Xbyak::RegExp(address_of(place)) + index_ * size + part * lanes_ * size;
  }
  Xbyak::RegExp first_element(int place) override { return Xbyak::RegExp(address_of(place)); }
  Xbyak::RegExp spill_slot(int slot) override { return Xbyak::RegExp(frame_) + 64 * slot; }
  Reg64 address_of(int place) {
    const int number = address_[static_cast<std::size_t>(place)];
    if (number >= 0) return address_registers_[static_cast<std::size_t>(number)];
    mov(work_, ptr[places_ + 8 * place]);
    return work_;
  }

  void emit_function() {
    Xbyak::Label some, rest, done;
    enter();
    xor_(index_.cvt32(), index_.cvt32());
    const auto& nodes = single_.trace.nodes;
    const auto stream =
        std::find_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.streams; });
    if (stream != nodes.end()) emit_streaming_loop(stream->place, protocol::size_of(stream->dtype), some);
    emit_loop(false);
    L(rest);
    mov(work_, count_);
    sub(work_, index_);
    jz(done, T_NEAR);
    mov(ecx, lanes_);
    cmp(work_, rcx);
    cmova(work_, rcx);
    push(work_);
    call(some);
    pop(work_);
    add(index_, work_);
    jmp(rest, T_NEAR);
    L(done);
    leave_function();
    align(16);
    L(some);
    emit_some();
    emit_constants();
  }

  /// Writes a routine for `work` elements, at most a vector of them.
  void emit_some() {
    mov(ecx, work_.cvt32());
    mov(work_.cvt32(), 1);
    shl(work_.cvt32(), cl);
    sub(work_.cvt32(), 1);
    kmovw(Xbyak::Opmask(1), work_.cvt32());
    use(single_.trace);
    for (const Action& action : single_.schedule.once) emit(action, Part::whole, false);
    spares_tail_ = true;
    emit_body(single_.schedule, Part::masked, false);
    spares_tail_ = false;
    ret();
  }

  /// Writes the loop with stores past the cache. It is only used where all places with such stores are
  /// aligned to vectors once the first is.
  void emit_streaming_loop(int first, std::size_t item_bytes, const Xbyak::Label& some) {
    Xbyak::Label aligned, plain;
    mov(rcx, ptr[places_ + 8 * first]);
    test(ecx, static_cast<int>(item_bytes) - 1);
    jnz(plain, T_NEAR);
    for (const Node& node : single_.trace.nodes) {
      if (!node.streams || node.place == first) continue;
      mov(work_, ptr[places_ + 8 * node.place]);
      xor_(work_, rcx);
      test(work_.cvt32(), vector_bytes(node) - 1);
      jnz(plain, T_NEAR);
      if (protocol::size_of(node.dtype) != item_bytes) jmp(plain, T_NEAR);
    }
    neg(rcx);
    and_(ecx, lanes_ * static_cast<int>(item_bytes) - 1);
    jz(aligned, T_NEAR);
    shr(ecx, item_bytes == 8 ? 3 : item_bytes == 4 ? 2 : 0);
    mov(work_, rcx);
    cmp(work_, count_);
    cmova(work_, count_);
    push(work_);
    call(some);
    pop(index_);
    L(aligned);
    emit_loop(true);
    L(plain);
  }
  int vector_bytes(const Node& node) const {
    return lanes_ * static_cast<int>(protocol::size_of(node.dtype));
  }

  void emit_loop(bool streams) {
    Xbyak::Label again, over;
    const int step = lanes_ * wide_.parts;
    mov(limit_, count_);
    sub(limit_, step - 1);
    jbe(over, T_NEAR);
    cmp(index_, limit_);
    jae(over, T_NEAR);
    use(wide_.trace);
    for (const Action& action : wide_.schedule.once) emit(action, Part::whole, false);
    align(32);
    L(again);
    emit_body(wide_.schedule, Part::whole, streams);
    add(index_, step);
    cmp(index_, limit_);
    jb(again, T_NEAR);
    L(over);
  }

  void emit_body(const Schedule& schedule, Part part, bool streams) {
    Xbyak::Label end;
    std::vector<Xbyak::Label> exits(schedule.exits.size());
    for (const Action& action : schedule.actions) {
      if (action.kind == Action::Kind::leave)
        jump_if_none(action.in[0], action.in[1], exits[static_cast<std::size_t>(action.exit)]);
      else
        emit(action, part, streams);
    }
    if (exits.empty()) return;
    jmp(end, T_NEAR);
    for (std::size_t k = 0; k < exits.size(); ++k) {
      L(exits[k]);
      for (const auto& stub : schedule.exits[k])
        store(trace_->nodes[static_cast<std::size_t>(stub.node)], stub.from, part, streams);
      jmp(end, T_NEAR);
    }
    L(end);
  }

  void enter() {
    for (const Reg64& saved : saved_) push(saved);
    const int frame_bytes = 64 * (spill_slots_ + 1);  // the last slot: where the stack was
    mov(work_, rsp);
    sub(rsp, frame_bytes);
    and_(rsp, -64);
    mov(frame_, rsp);
    mov(ptr[frame_ + 64 * spill_slots_], work_);
    for (std::size_t place = 0; place < address_.size(); ++place)
      if (address_[place] >= 0)
        mov(address_registers_[static_cast<std::size_t>(address_[place])],
            ptr[places_ + 8 * static_cast<int>(place)]);
  }
  void leave_function() {
    mov(rsp, ptr[frame_ + 64 * spill_slots_]);
    for (std::size_t k = saved_.size(); k-- > 0;) pop(saved_[k]);
    vzeroupper();
    ret();
  }

  // rcx is free for counts.
  const Reg64 places_ = rdi, count_ = rsi, index_ = rdx, work_ = rax, frame_ = rbp, limit_ = r15;
  const std::array<Reg64, 8> address_registers_{r8, r9, r10, r11, rbx, r12, r13, r14};
  const std::array<Reg64, 6> saved_{rbp, rbx, r12, r13, r14, r15};
  const Body &wide_, &single_;
  const int spill_slots_;
  std::vector<int> address_;  // by place: which register, -1
};

/// Pages that are first writable and then executable, never both.
class Pages : public Code {
 public:
  /// nullptr when the system gives no such pages.
  static std::shared_ptr<const Code> make(std::span<const std::byte> code) {
    void* start = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    auto pages = std::make_shared<Pages>(start, code.size());
    std::memcpy(start, code.data(), code.size());
    if (mprotect(start, code.size(), PROT_READ | PROT_EXEC) == 0) return pages;
    is_forbidden = true;
    return nullptr;
  }
  Pages(void* start, std::size_t bytes) : start_(start), bytes_(bytes) {}
  ~Pages() override { munmap(start_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void run(std::byte* const* places, std::size_t count) const override {
    reinterpret_cast<void (*)(std::byte* const*, std::size_t)>(start_)(places, count);
  }

  static inline std::atomic<bool> is_forbidden = false;

 private:
  void* start_;
  std::size_t bytes_;
};

}  // namespace

bool is_available() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

std::shared_ptr<const Code> compile(const Trace& trace) {
  if (Pages::is_forbidden) return nullptr;
  const auto exits = find_exits(trace);
  const Body wide = make_body(trace, exits, parts_for(trace, !exits.empty())),
             single = make_body(trace, exits, 1);
  const std::size_t bytes = room_for(wide, single);
  constexpr std::align_val_t alignment{64};
  const auto free = [](std::byte* room) { operator delete(room, alignment); };
  const std::unique_ptr<std::byte, decltype(free)> room(
      static_cast<std::byte*>(operator new(bytes, alignment)), free);
  const Writer writer(wide, single, {room.get(), bytes});
  return Pages::make({room.get(), writer.bytes()});
}

}  // namespace gamelan::engine::jit
