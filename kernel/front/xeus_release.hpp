// SPDX-License-Identifier: BSD-3-Clause
// What differs between the releases of xeus: 2.4 (Debian 12), 5.1 (Debian 13) and 6. Everything else of xeus
// that we use is the same in all, so no other file asks for the release.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <xeus/xcomm.hpp>
#include <xeus/xeus.hpp>
#include <xeus/xeus_context.hpp>
#include <xeus/xinterpreter.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <zmq.hpp>

namespace gamelan::kernel {

/// How a cell is to be run, as its request says.
struct CellOptions {
  bool is_silent = false;
  bool is_stored = true;
  bool is_input_allowed = false;
};

/// xeus's interpreter, whose cells are run by one function with one signature.
class AnyInterpreter : public xeus::xinterpreter {
 private:
  /// Runs a cell and returns the content of its reply.
  virtual nl::json execute(const std::string& code, const CellOptions& options,
                           nl::json user_expressions) = 0;

#if XEUS_VERSION_MAJOR < 4
  nl::json execute_request_impl(int /*count*/, const std::string& code, bool is_silent, bool is_stored,
                                nl::json user_expressions, bool is_input_allowed) final {
    return execute(code, {is_silent, is_stored, is_input_allowed}, std::move(user_expressions));
  }
#else
  // The reply may come later there; ours has come when the cell ends.
  void execute_request_impl(send_reply_callback reply, int /*count*/, const std::string& code,
                            xeus::execute_request_config config, nl::json user_expressions) final {
    reply(execute(code, {config.silent, config.store_history, config.allow_stdin},
                  std::move(user_expressions)));
  }
#endif

  // Server does both (server.hpp); these are the contents of the replies.
#if XEUS_VERSION_MAJOR < 6
  void shutdown_request_impl() final {}
#else
  nl::json shutdown_request_impl(bool is_restart) final {
    return {{"status", "ok"}, {"restart", is_restart}};
  }
  nl::json interrupt_request_impl() final { return {{"status", "ok"}}; }
#endif
};

/// The part of a connection file that says where the sockets are, which xeus 6 keeps apart. Throws
/// std::bad_variant_access when the file asks to register instead.
#if XEUS_VERSION_MAJOR < 6
using Configuration = xeus::xconfiguration;
inline const Configuration& sockets_of(const xeus::xconfiguration& all) { return all; }
#else
using Configuration = xeus::xkernel_configuration;
inline const Configuration& sockets_of(const xeus::xconfiguration& all) {
  return std::get<Configuration>(all);
}
#endif

/// Takes a comm out of the table of those that are open. xeus 6 only shows that table.
inline void forget_comm(xeus::xcomm_manager& manager, const xeus::xguid& id) {
  using Comms = std::map<xeus::xguid, xeus::xcomm*>;
  const_cast<Comms&>(static_cast<const Comms&>(manager.comms())).erase(id);
}

/// The ZeroMQ context, wrapped as xeus::xkernel wants it.
inline std::unique_ptr<xeus::xcontext> make_zmq_context() {
  return std::make_unique<xeus::xcontext_impl<zmq::context_t>>();
}

}  // namespace gamelan::kernel
