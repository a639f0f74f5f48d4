// SPDX-License-Identifier: BSD-3-Clause
// Answers xeus's requests by IPython: each is one call into the Python package gamelan_kernel, whose replies
// are JSON text. Takes and releases the GIL. It uses no sockets, and does not look into cells.
#pragma once
#include <pybind11/embed.h>

#include <functional>
#include <memory>
#include <string>
#include <xeus/xhistory_manager.hpp>

#include "kernel/front/server.hpp"
#include "kernel/front/xeus_release.hpp"

namespace gamelan::kernel {

class Interpreter : public AnyInterpreter {
 public:
  Interpreter();
  /// Sets the hooks by which `server` serves requests with this interpreter. Starts the shell and the capture
  /// of output. GIL held. Throws py::error_already_set when IPython cannot be imported.
  void attach(Server& server);
  /// Runs Python's exit functions once: they stop engines and write the history. GIL held.
  static void close();

 private:
  void configure_impl() override {}
  nl::json execute(const std::string& code, const CellOptions& options, nl::json user_expressions) override;
  nl::json complete_request_impl(const std::string& code, int cursor) override;
  nl::json inspect_request_impl(const std::string& code, int cursor, int detail_level) override;
  nl::json is_complete_request_impl(const std::string& code) override;
  nl::json kernel_info_request_impl() override;

  void serve(const std::function<void()>& request);

  Server* server_ = nullptr;
};

/// History requests, answered by IPython's history.
std::unique_ptr<xeus::xhistory_manager> make_history();

}  // namespace gamelan::kernel
