// SPDX-License-Identifier: BSD-3-Clause
// The kernel: starts Python, serves one Jupyter front end until it is told to stop, and leaves nothing
// behind. Jupyter starts the program gamelan-kernel (start.c) with `-f <connection file>`, which loads this.
// The work is in the files that it includes.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>

#include "kernel/front/environment.hpp"
#include "kernel/front/interpreter.hpp"
#include "kernel/front/interrupt.hpp"
#include "kernel/front/xeus_release.hpp"

namespace py = pybind11;
namespace kernel = gamelan::kernel;

namespace {

xeus::xconfiguration read_configuration(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) != "-f") continue;
    try {
      return xeus::load_configuration(argv[i + 1]);
    } catch (const nl::json::exception& error) {
      throw std::runtime_error(std::string("the connection file ") + argv[i + 1] +
                               " is missing or not Jupyter's: " + error.what());
    }
  }
  throw std::runtime_error(
      "usage: gamelan-kernel -f CONNECTION_FILE (Jupyter does this: see `jupyter kernelspec`).");
}

void serve(const xeus::xconfiguration& configuration) {
  auto* const interpreter = new kernel::Interpreter;
  std::streambuf* const output = std::cout.rdbuf(nullptr);  // where xeus 5 says that it has begun
  xeus::xkernel jupyter(configuration, xeus::get_user_name(), kernel::make_zmq_context(),
                        std::unique_ptr<xeus::xinterpreter>(interpreter), kernel::Server::make,
                        kernel::make_history(), nullptr, xeus::make_null_debugger, nl::json::object(),
                        nl::json::error_handler_t::replace);
  std::cout.rdbuf(output);
  auto& server = static_cast<kernel::Server&>(jupyter.get_server());
  interpreter->attach(server);
  {
    const py::gil_scoped_release between_requests;
    jupyter.start();
  }
  kernel::Interpreter::close();
  const py::gil_scoped_release threads_may_end;
  server.output().close();
}

}  // namespace

/// What start.c calls, in the place of main(): no thread exists yet.
extern "C" int gamelan_kernel_main(int argc, char** argv) {
  kernel::take_over_signals();
  try {
    const auto configuration = read_configuration(argc, argv);
    const std::string executable = kernel::start_python(kernel::python_executable());
    kernel::forward_interrupts_to_main_thread();
    auto path = py::module_::import("sys").attr("path").cast<py::list>();
    path.insert(0, "");  // the notebook's own directory
    if (const auto packages = kernel::package_directory(); !packages.empty())
      path.insert(1, packages.string());
    kernel::require_packages(executable);
    serve(configuration);
  } catch (const std::exception& error) {
    std::cerr << "gamelan-kernel: " << error.what() << std::endl;
    std::_Exit(1);
  }
  // Not through Py_Finalize: it would wait for threads that a notebook has left running.
  std::_Exit(0);
}
