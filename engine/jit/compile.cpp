// SPDX-License-Identifier: BSD-3-Clause
// The function around a schedule: registers for addresses, the loops over whole vectors, the rest, early
// exits.
#include "engine/jit/compile.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <span>

#include "engine/jit/avx2.hpp"
#include "engine/jit/avx2_bytes.hpp"
#include "engine/jit/avx512.hpp"
#include "engine/jit/emitter.hpp"
#include "engine/jit/pages.hpp"

namespace gamelan::engine::jit {
namespace {

using namespace Xbyak::util;  // names of registers
using Xbyak::Reg64;

constexpr auto near = Xbyak::CodeGenerator::T_NEAR;

constexpr std::size_t bytes_per_action = 1024,  // generous: exp has 70 instructions, all others 25 at most
    bytes_around = 4096;
constexpr int line_bytes = 64, bytes_ahead = 16'384;
constexpr std::size_t most_nodes_side_by_side = 2000;  // the code should stay in its cache

bool is_streaming_store(const Node& node) { return node.kind == Node::Kind::store && node.streams; }

/// A trace and all decisions about it.
struct Body {
  Trace trace;
  Schedule schedule;
  int parts = 1;
};

/// Computes as many vectors side by side as there are registers for.
/// `keeps_wrapped`: as of make_schedule.
Body make_body(const Trace& trace, const std::vector<Exit>& exits, const Registers& registers, int parts,
               bool keeps_wrapped) {
  Widened wide = widen(trace, parts);
  Schedule schedule = make_schedule(wide.trace, widen(exits, wide, parts), registers, keeps_wrapped);
  return {std::move(wide.trace), std::move(schedule), parts};
}

/// `lanes`: of a vector.
int parts_for(const Trace& trace, bool has_exits, const Registers& registers, int lanes) {
  const Pressure most = pressure(trace);
  const bool has_masks = registers.masks > 0;
  for (const int parts : {4, 2}) {
    const bool is_too_long = trace.nodes.size() * static_cast<std::size_t>(parts) > most_nodes_side_by_side;
    const int room = parts == 2 ? registers.most_alive : registers.vectors - 2;
    const bool is_too_wide = (has_masks ? most.vectors : most.all) * parts > room ||
                             (has_masks && most.masks * parts > registers.masks);
    const bool wraps_within = has_wraps(trace) && parts * lanes > wrapped_elements;
    if (!is_too_long && !is_too_wide && !wraps_within && !(has_exits && parts > 2)) return parts;
  }
  return 1;
}

std::size_t room_for(const Body& wide, const Body& single) {
  const auto actions = [](const Schedule& schedule) {
    std::size_t count = schedule.once.size() + schedule.actions.size() + schedule.last.size();
    for (const auto& exit : schedule.exits) count += exit.size() + 1;
    return count;
  };
  return (2 * actions(wide.schedule) + 3 * actions(single.schedule)) * bytes_per_action + bytes_around;
}

/// Writes the function to `room`. It can run at any address, because it refers to nothing outside.
class Writer : private Emitter {
 public:
  Writer(Instructions& code, const Body& wide, const Body& single)
      : Emitter(code),
        wide_(wide),
        single_(single),
        lanes_(code.lanes()),
        has_wraps_(jit::has_wraps(single.trace)),
        spill_slots_(std::max(wide.schedule.spill_slots, single.schedule.spill_slots)) {
    code_.use_scratch(spill_slot(spill_slots_ + 1));
    give_addresses();
    emit_function();
    code_.ready();
  }

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
    const auto registers = address_registers_.size() - (has_wraps_ ? 1 : 0);  // the last is then `wrapped_`
    for (std::size_t k = 0; k < std::min(order.size(), registers); ++k)
      address_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }

  Xbyak::RegExp element(int place, std::size_t item_bytes, int part) override {
    const int size = static_cast<int>(item_bytes);
    const bool wraps = has_wraps_ && single_.trace.wraps[static_cast<std::size_t>(place)];
    return Xbyak::RegExp(address_of(place)) + (wraps ? wrapped_ : index_) * size + part * lanes_ * size;
  }
  Xbyak::RegExp first_element(int place) override { return Xbyak::RegExp(address_of(place)); }
  Xbyak::RegExp spill_slot(int slot) override { return Xbyak::RegExp(frame_) + 64 * slot; }
  Reg64 address_of(int place) {
    const int number = address_[static_cast<std::size_t>(place)];
    if (number >= 0) return address_registers_[static_cast<std::size_t>(number)];
    code_.mov(work_, ptr[places_ + 8 * place]);
    return work_;
  }

  void emit_function() {
    Xbyak::Label some, done;
    enter();
    code_.xor_(index_.cvt32(), index_.cvt32());
    const auto& nodes = single_.trace.nodes;
    const auto stream =
        std::find_if(nodes.begin(), nodes.end(), [](const Node& node) { return is_streaming_store(node); });
    if (stream != nodes.end()) emit_streaming_loop(stream->place, protocol::size_of(stream->dtype), some);
    emit_loop(wide_, false);
    if (wide_.parts > 1) emit_loop(single_, false);
    code_.mov(work_, count_);
    code_.sub(work_, index_);
    code_.jz(done, near);
    code_.call(some);
    code_.L(done);
    leave_function();
    code_.align(16);
    code_.L(some);
    emit_some();
    code_.emit_constants();
  }

  /// Writes a routine for `work` elements, fewer than a vector has.
  void emit_some() {
    code_.begin_tail();
    wrap();
    use(single_.trace);
    for (const Action& action : single_.schedule.once) emit(action, false);
    emit_body(single_.schedule, false);
    code_.end_tail();
    code_.ret();
  }

  /// Writes the loop with stores past the cache, which begins at a cache line and fills whole ones: half
  /// lines would wait for the other half in the few buffers that the processor has for them. It is only used
  /// where all places with such stores begin a line once the first does. With places that wrap they must do
  /// so from the first element on: what comes before would leave vectors that reach over the end of what
  /// wraps.
  void emit_streaming_loop(int first, std::size_t item_bytes, const Xbyak::Label& some) {
    const int item = static_cast<int>(item_bytes);
    if (lanes_ * wide_.parts * item % line_bytes != 0) return;
    Xbyak::Label aligned, plain;
    code_.mov(rcx, ptr[places_ + 8 * first]);
    code_.test(ecx, item - 1);
    code_.jnz(plain, near);
    for (const Node& node : single_.trace.nodes) {
      if (!is_streaming_store(node) || node.place == first) continue;
      code_.mov(work_, ptr[places_ + 8 * node.place]);
      code_.xor_(work_, rcx);
      code_.test(work_.cvt32(), line_bytes - 1);
      code_.jnz(plain, near);
      if (protocol::size_of(node.dtype) != item_bytes) code_.jmp(plain, near);
    }
    code_.neg(rcx);
    code_.and_(ecx, line_bytes - 1);
    if (has_wraps_) {
      code_.jnz(plain, near);
    } else {
      code_.jz(aligned, near);
      code_.shr(ecx, std::countr_zero(item_bytes));
      code_.cmp(rcx, count_);
      code_.cmova(rcx, count_);
      emit_until(rcx, item, some);
    }
    code_.L(aligned);
    emit_loop(wide_, true);
    code_.L(plain);
  }

  /// Writes the computation of the first `count` elements of `item` bytes: all, or fewer than a line has.
  void emit_until(const Reg64& count, int item, const Xbyak::Label& some) {
    Xbyak::Label over;
    code_.push(count_);
    code_.mov(count_, count);
    if (lanes_ * item < line_bytes) emit_loop(single_, false);  // there may be whole vectors
    code_.mov(work_, count_);
    code_.sub(work_, index_);
    code_.jz(over, near);
    code_.push(count_);
    code_.call(some);
    code_.pop(index_);
    code_.L(over);
    code_.pop(count_);
  }

  /// Writes the loop over as many elements as `body` computes at once, for as long as there are so many.
  void emit_loop(const Body& body, bool streams) {
    Xbyak::Label again, over;
    const int step = lanes_ * body.parts;
    code_.mov(limit_, count_);
    code_.sub(limit_, step - 1);
    code_.jbe(over, near);
    code_.cmp(index_, limit_);
    code_.jae(over, near);
    use(body.trace);
    wrap();
    for (const Action& action : body.schedule.once) emit(action, false);
    code_.align(32);
    code_.L(again);
    if (step != wrapped_elements) wrap();
    for (const Node& node : single_.trace.nodes)
      if (node.kind == Node::Kind::load && node.streams) ask_ahead(node, step);
    emit_body(body.schedule, streams);
    code_.add(index_, step);
    code_.cmp(index_, limit_);
    code_.jb(again, near);
    for (const Action& action : body.schedule.last) emit(action, false);
    code_.L(over);
  }

  /// Finds where the present elements are in places that wrap. Vectors begin at multiples of their length.
  void wrap() {
    if (!has_wraps_) return;
    code_.mov(wrapped_.cvt32(), index_.cvt32());
    code_.and_(wrapped_.cvt32(), wrapped_elements - 1);
  }

  /// Asks for what a load reads some turns later, `elements` of it.
  void ask_ahead(const Node& load, int elements) {
    const auto item = protocol::size_of(load.dtype);
    const auto place = element(load.place, item, 0);
    for (int byte = 0; byte < elements * static_cast<int>(item); byte += line_bytes)
      code_.prefetcht0(ptr[place + (bytes_ahead + byte)]);
  }

  void emit_body(const Schedule& schedule, bool streams) {
    Xbyak::Label end;
    std::vector<Xbyak::Label> exits(schedule.exits.size());
    for (const Action& action : schedule.actions) {
      if (action.kind == Action::Kind::leave)
        jump_if_none(action.in[0], action.in[1], exits[static_cast<std::size_t>(action.exit)]);
      else
        emit(action, streams);
    }
    if (exits.empty()) return;
    code_.jmp(end, near);
    for (std::size_t k = 0; k < exits.size(); ++k) {
      code_.L(exits[k]);
      for (const auto& stub : schedule.exits[k])
        store(trace_->nodes[static_cast<std::size_t>(stub.node)], stub.from, streams);
      code_.jmp(end, near);
    }
    code_.L(end);
  }

  void enter() {
    for (const Reg64& saved : saved_) code_.push(saved);
    // Behind the slots: where the stack was, and what the instructions keep.
    const int frame_bytes = 64 * (spill_slots_ + 1) + Instructions::scratch_bytes;
    code_.mov(work_, rsp);
    code_.sub(rsp, frame_bytes);
    code_.and_(rsp, -64);
    code_.mov(frame_, rsp);
    code_.mov(ptr[frame_ + 64 * spill_slots_], work_);
    for (std::size_t place = 0; place < address_.size(); ++place)
      if (address_[place] >= 0)
        code_.mov(address_registers_[static_cast<std::size_t>(address_[place])],
                  ptr[places_ + 8 * static_cast<int>(place)]);
  }
  void leave_function() {
    code_.mov(rsp, ptr[frame_ + 64 * spill_slots_]);
    for (std::size_t k = saved_.size(); k-- > 0;) code_.pop(saved_[k]);
    code_.vzeroupper();
    code_.ret();
  }

  // rcx is free for counts.
  const Reg64 places_ = rdi, count_ = rsi, index_ = rdx, work_ = rax, frame_ = rbp, limit_ = r15;
  const std::array<Reg64, 8> address_registers_{r8, r9, r10, r11, rbx, r12, r13, r14};
  const Reg64 wrapped_ = r14;
  const std::array<Reg64, 6> saved_{rbp, rbx, r12, r13, r14, r15};
  const Body &wide_, &single_;
  const int lanes_;
  const bool has_wraps_;
  const int spill_slots_;
  std::vector<int> address_;  // by place: which register, -1
};

template <class Set>
std::shared_ptr<const Code> compile_for(const Trace& trace) {
  const auto exits = find_exits(trace);
  const Registers& registers = Set::registers;
  const int width = lanes(trace, registers.vector_bytes, Set::least_bytes);
  const int parts = parts_for(trace, !exits.empty(), registers, width);
  const bool keeps_wrapped =
      has_wraps(trace) && exits.empty() && parts > 1 && parts * width == wrapped_elements;
  const Body wide = make_body(trace, exits, registers, parts, keeps_wrapped),
             single = make_body(trace, exits, registers, 1, false);
  const std::size_t bytes = room_for(wide, single);
  constexpr std::align_val_t alignment{64};
  const auto free = [](std::byte* room) { operator delete(room, alignment); };
  const std::unique_ptr<std::byte, decltype(free)> room(
      static_cast<std::byte*>(operator new(bytes, alignment)), free);
  Set code(width, {room.get(), bytes});
  const Writer writer(code, wide, single);
  return make_pages({room.get(), code.getSize()});
}

}  // namespace

const Registers& registers_of(InstructionSet set) {
  return set == InstructionSet::avx2 ? Avx2::registers : Avx512::registers;
}

bool runs(InstructionSet set) {
  __builtin_cpu_init();
  if (set == InstructionSet::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

std::shared_ptr<const Code> compile(const Trace& trace, InstructionSet set) {
  if (are_pages_refused()) return nullptr;
  if (set == InstructionSet::avx512) return compile_for<Avx512>(trace);
  return has_bytes_only(trace) ? compile_for<Avx2Bytes>(trace) : compile_for<Avx2>(trace);
}

}  // namespace gamelan::engine::jit
