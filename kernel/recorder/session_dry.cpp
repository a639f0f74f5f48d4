// SPDX-License-Identifier: BSD-3-Clause
// A dry run: a cell is recorded in a child made by fork, where nothing is sent. Its commands are planned by
// the engines, which compute nothing. What needs a value ends it, by an exception of the caller's.
#include "kernel/recorder/session.hpp"
// (Python.h first)
#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/pending/work.hpp"

namespace gamelan::kernel {

using protocol::Command;

namespace {
PyObject* end_of_dry = nullptr;  // the exception class; null: this is no dry run
constexpr std::size_t most_commands = 20'000;
}  // namespace

bool Session::is_dry() { return end_of_dry != nullptr; }

void Session::begin_dry(PyObject* exception) {
  if (!is_forked_child())
    throw protocol::Error(protocol::ErrorKind::internal, "[dry] only a child made by fork may do this");
  Py_INCREF(exception);
  end_of_dry = exception;
}

void Session::end_dry(const char* why) {
  PyErr_SetString(end_of_dry, why);
  throw PythonError();
}

void Session::record_dry(Command command, protocol::Bytes* payload) {
  if (recorder_.pending().commands.size() >= most_commands) end_dry("there are more than 20,000 operations");
  CurrentLine current = current_line();
  const auto call = call_number::recording();
  if (recorder_.has_poisoned()) require_no_failure(command);
  if (payload != nullptr && command.op == protocol::Op::constant)
    payload->clear();  // a plan needs no elements
  if (payload != nullptr)
    sender_.add(std::move(command), std::move(current), call, std::move(*payload));
  else
    sender_.add(std::move(command), std::move(current), call, FloatListeners::nobody);
}

Session::DryPlan Session::dry_plan() {
  DryPlan plan;
  plan.batch = preview();
  plan.batch.holder = recorder_.holder();
  const auto& commands = plan.batch.commands;
  const auto first =
      commands.empty() ? 0 : (commands.front().creates ? commands.front().out.base : recorder_.last_id() + 1);
  TouchedArrays touched;
  for (const auto& command : commands) {
    plan.work.push_back(
        {static_cast<double>(work_of(command, first, touched)) / work_of_a_moment, is_single(command.op)});
    touch(touched, command);
  }
  return plan;
}

protocol::Reply Session::ask_dry(protocol::Batch batch) { return engines_.ask(std::move(batch)); }

}  // namespace gamelan::kernel
