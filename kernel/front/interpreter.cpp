// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/interpreter.hpp"

#include <atomic>
#include <utility>

#include "kernel/front/interrupt.hpp"
#include "kernel/front/python_io.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

py::module_ requests() { return py::module_::import("gamelan_kernel.requests"); }

// Calls a function of gamelan_kernel.requests that answers in JSON text. GIL held.
template <class... Arguments>
nl::json call(const char* function, Arguments&&... arguments) {
  return nl::json::parse(
      requests().attr(function)(std::forward<Arguments>(arguments)...).template cast<std::string>());
}

nl::json error_reply(const py::error_already_set& error) {
  const auto name = py::str(error.type().attr("__name__")).cast<std::string>();
  return {{"status", "error"},
          {"ename", name},
          {"evalue", std::string(py::str(error.value()))},
          {"traceback", nl::json::array({std::string(error.what())})}};
}

class History : public xeus::xhistory_manager {
  void configure_impl() override {}
  void store_inputs_impl(int, int, const std::string&, const std::string&) override {
  }  // IPython stores its own
  nl::json get_tail_impl(int count, bool is_raw, bool with_output) const override {
    return call("history_tail", count, is_raw, with_output);
  }
  nl::json get_range_impl(int session, int start, int stop, bool is_raw, bool with_output) const override {
    return call("history_range", session, start, stop, is_raw, with_output);
  }
  nl::json search_impl(const std::string& pattern, bool is_raw, bool with_output, int count,
                       bool is_unique) const override {
    return call("history_search", pattern, is_raw, with_output, count, is_unique);
  }
};

}  // namespace

Interpreter::Interpreter() { xeus::register_interpreter(this); }

void Interpreter::attach(Server& server) {
  server_ = &server;
  bind_front_end(server);
  requests().attr("start")();
  server.output().capture_descriptors();
  Server::Hooks hooks;
  hooks.around_request = [this](const auto& request) { serve(request); };
  hooks.when_idle = [] {
    const py::gil_scoped_acquire gil;
    requests().attr("when_idle")();
  };
  hooks.last_resort = [] {
    const py::gil_scoped_acquire gil;
    close();
  };
  hooks.refuse = [&server](const xeus::xmessage& message) { return refuse_comm_message(message, server); };
  server.set_hooks(std::move(hooks));
}

void Interpreter::serve(const std::function<void()>& request) {
  const py::gil_scoped_acquire gil;
  {
    const InterruptWindow window;
    request();
  }
  if (is_exit_wanted()) server_->request_stop();
}

void Interpreter::close() {
  static std::atomic<bool> is_closed{false};
  if (is_closed.exchange(true)) return;
  try {
    requests().attr("close")();
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("gamelan-kernel: at exit");
  }
}

nl::json Interpreter::execute(const std::string& code, const CellOptions& options,
                              nl::json user_expressions) {
  nl::json reply;
  allow_input(options.is_input_allowed);
  try {
    reply = call("execute", code, options.is_silent, options.is_stored, user_expressions.dump());
  } catch (py::error_already_set& error) {  // an interrupt outside the cell's own code
    reply = error_reply(error);
    server_->publisher().publish("error", reply.dump(-1, ' ', false, nl::json::error_handler_t::replace));
  }
  // What C code and child processes have printed last belongs to this cell; the reply and `idle` come after
  // it.
  std::fflush(stdout);
  server_->output().flush();
  if (reply.contains("next_count")) server_->set_execution_count(reply["next_count"].get<int>());
  reply.erase("next_count");
  return reply;
}

nl::json Interpreter::complete_request_impl(const std::string& code, int cursor) {
  return call("complete", code, cursor);
}

nl::json Interpreter::inspect_request_impl(const std::string& code, int cursor, int detail_level) {
  return call("inspect", code, cursor, detail_level);
}

nl::json Interpreter::is_complete_request_impl(const std::string& code) { return call("is_complete", code); }

// Also answered on the control thread while a cell runs: no Python here.
nl::json Interpreter::kernel_info_request_impl() {
  const auto link = [](const char* text, const std::string& url) {
    return nl::json{{"text", text}, {"url", url}};
  };
  const std::string python_version =
      std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
  return {{"status", "ok"},
          {"implementation", "gamelan"},
          {"implementation_version", GAMELAN_VERSION},
          {"banner", "Gamelan " GAMELAN_VERSION " - NumPy on MPI engines - Python " PY_VERSION},
          {"debugger", false},
          {"language_info",
           {{"name", "python"},
            {"version", PY_VERSION},
            {"mimetype", "text/x-python"},
            {"codemirror_mode", {{"name", "ipython"}, {"version", PY_MAJOR_VERSION}}},
            {"pygments_lexer", "ipython" + std::to_string(PY_MAJOR_VERSION)},
            {"nbconvert_exporter", "python"},
            {"file_extension", ".py"}}},
          {"help_links",
           {link("Python", "https://docs.python.org/" + python_version),
            link("IPython", "https://ipython.org/documentation.html"),
            link("NumPy", "https://numpy.org/doc/stable/reference/")}}};
}

std::unique_ptr<xeus::xhistory_manager> make_history() { return std::make_unique<History>(); }

}  // namespace gamelan::kernel
