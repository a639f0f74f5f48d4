// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/python_io.hpp"

#include <pybind11/stl.h>

#include <string_view>
#include <vector>

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

constexpr int input_tick_ms = 100;

Server* front_end = nullptr;
bool is_input_allowed = false;
bool has_exit_request = false;

Stream stream_named(const std::string& name) {
  return name == "stderr" ? Stream::standard_error : Stream::standard_output;
}

std::vector<std::string> to_buffers(const py::iterable& objects) {
  std::vector<std::string> buffers;
  for (const auto& object : objects) {
    buffers.push_back(py::bytes(py::reinterpret_borrow<py::object>(object)).cast<std::string>());
  }
  return buffers;
}

void publish(const std::string& type, const std::string& content, const std::string& metadata,
             const py::iterable& buffers) {
  front_end->output().flush();  // what was printed before is shown before
  front_end->publisher().publish(type, content, metadata, to_buffers(buffers));
}

std::string read_input(const std::string& prompt, bool is_password) {
  front_end->output().flush();
  front_end->send_question(prompt, is_password);
  for (;;) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    std::optional<std::string> answer;
    {
      const py::gil_scoped_release others_may_run;
      answer = front_end->wait_answer(input_tick_ms);
    }
    if (answer) return *answer;
  }
}

}  // namespace

void bind_front_end(Server& server) { front_end = &server; }
void allow_input(bool is_allowed) { is_input_allowed = is_allowed; }
bool is_exit_wanted() { return has_exit_request; }

PYBIND11_EMBEDDED_MODULE(_gamelan_kernel, module) {
  module.doc() = "The Jupyter side of the Gamelan kernel, as its shell sees it.";
  module.def("write", [](const std::string& name, const py::bytes& text) {
    front_end->output().write(stream_named(name), std::string_view(text));
  });
  module.def("flush", [] { front_end->output().flush_soon(); });
  module.def("flush_now", [] { front_end->output().flush(); });
  module.def("publish", &publish, py::arg("type"), py::arg("content"), py::arg("metadata") = py::bytes("{}"),
             py::arg("buffers") = py::tuple());
  module.def("is_input_allowed", [] { return is_input_allowed; });
  module.def("input", &read_input, py::arg("prompt"), py::arg("is_password"));
  module.def("parent_header", [] { return py::bytes(front_end->publisher().parent_header()); });
  module.def("ask_exit", [](bool is_wanted) { has_exit_request = is_wanted; });
  module.def("is_forked_child", &is_forked_child);
  module.def("log", [](const std::string& line) { front_end->output().log(line); });
  module.def("log_fd", [] { return front_end->output().log_fd(); });
  add_comms(module);
}

}  // namespace gamelan::kernel
