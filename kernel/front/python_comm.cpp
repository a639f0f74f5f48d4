// SPDX-License-Identifier: BSD-3-Clause
// Comms (widgets): xeus keeps the routes, so that it can deliver incoming messages and list the open comms.
// The comms themselves are Python objects in gamelan_kernel.comms, which gets every message by one function.
#include <map>
#include <memory>
#include <set>
#include <vector>
#include <xeus/xcomm.hpp>
#include <xeus/xinterpreter.hpp>

#include "kernel/front/python_io.hpp"
#include "kernel/front/xeus_release.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

// Both under the GIL.
std::map<std::string, std::unique_ptr<xeus::xcomm>>& routes() {
  static auto* const all =
      new std::map<std::string, std::unique_ptr<xeus::xcomm>>;  // outlives xeus's manager
  return *all;
}
std::set<std::string>& accepted_targets() {
  static auto* const all = new std::set<std::string>;
  return *all;
}

xeus::xcomm_manager& manager() { return xeus::get_interpreter().comm_manager(); }

void deliver(const std::string& kind, const xeus::xmessage& message) {
  py::list buffers;
  for (const auto& buffer : message.buffers()) buffers.append(py::bytes(buffer.data(), buffer.size()));
  const nl::json text{{"header", message.header()},
                      {"parent_header", message.parent_header()},
                      {"metadata", message.metadata()},
                      {"content", message.content()}};
  py::module_::import("gamelan_kernel.comms")
      .attr("deliver")(kind, py::bytes(text.dump(-1, ' ', false, nl::json::error_handler_t::replace)),
                       buffers);
}

void keep_route(const std::string& id, xeus::xcomm&& comm) {
  auto& route = routes()[id] = std::make_unique<xeus::xcomm>(std::move(comm));
  route->on_message([](const xeus::xmessage& message) { deliver("comm_msg", message); });
  route->on_close([](const xeus::xmessage& message) { deliver("comm_close", message); });
}

void accept_opened(xeus::xcomm&& comm, const xeus::xmessage& message) {
  const std::string id = comm.id();
  keep_route(id, std::move(comm));
  deliver("comm_open", message);
}

void register_target(const std::string& name, bool is_accepting) {
  // A target must be registered before a comm may name it: xeus hands out a null manager otherwise.
  manager().register_comm_target(name, accept_opened);
  if (is_accepting) accepted_targets().insert(name);
}

void open_route(const std::string& target, const std::string& id) {
  if (routes().count(id) != 0) return;  // opened by the front end
  if (accepted_targets().count(target) == 0) register_target(target, false);
  keep_route(id, xeus::xcomm(manager().target(target), xeus::xguid(id)));
}

// The route may be closing because of a message that it is itself delivering: it is destroyed a little later.
void close_route(const std::string& id) {
  static auto* const closing = new std::vector<std::unique_ptr<xeus::xcomm>>;
  closing->clear();
  const auto found = routes().find(id);
  if (found == routes().end()) return;
  forget_comm(manager(), found->second->id());
  closing->push_back(std::move(found->second));
  routes().erase(found);
}

}  // namespace

void add_comms(py::module_& module) {
  module.def("register_comm_target", [](const std::string& name) { register_target(name, true); });
  module.def("unregister_comm_target", [](const std::string& name) { accepted_targets().erase(name); });
  module.def("open_comm_route", &open_route, py::arg("target_name"), py::arg("comm_id"));
  module.def("close_comm_route", &close_route, py::arg("comm_id"));
}

std::optional<std::string> refuse_comm_message(const xeus::xmessage& message, Server& server) {
  const std::string type = message.header().value("msg_type", "");
  const nl::json& content = message.content();
  const std::string id = content.is_object() ? content.value("comm_id", "") : "";
  if (type == "comm_open") {
    const std::string target = content.is_object() ? content.value("target_name", "") : "";
    if (accepted_targets().count(target) != 0) return std::nullopt;
    server.publisher().publish("comm_close", nl::json{{"comm_id", id}, {"data", nl::json::object()}}.dump());
    return "no comm target '" + target + "' is registered";
  }
  if ((type == "comm_msg" || type == "comm_close") && routes().count(id) == 0) {
    return type + " for a comm that is not open: " + id;
  }
  return std::nullopt;
}

}  // namespace gamelan::kernel
