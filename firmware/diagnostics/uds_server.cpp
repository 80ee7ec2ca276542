// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/uds_server.hpp"

#include <algorithm>
#include <optional>

#include "firmware/diagnostics/uds_identifiers.hpp"

namespace kerb::diagnostics {
namespace {

constexpr std::uint8_t kSuppressPositive = 0x80;  // of a sub-function
constexpr std::uint8_t kNoSubFunction = 0xFF;     // end of a list

/// Requests to all control units are not answered by those that cannot help (ISO 14229-1, table
/// on the server's response behaviour).
bool silent_when_functional(Nrc nrc) noexcept {
  return nrc == Nrc::service_not_supported || nrc == Nrc::sub_function_not_supported ||
         nrc == Nrc::request_out_of_range || nrc == Nrc::service_not_in_session;
}

std::optional<Output> output_of(std::uint16_t id) noexcept {
  const int number = id - did::kFirstOutput;
  if (number < 0 || number >= kOutputCount) return std::nullopt;
  return static_cast<Output>(number);
}

}  // namespace

/// A service: what is checked before its handler runs, in the order of the standard.
struct UdsServer::Service {
  std::uint8_t sid;
  std::size_t shortest, longest;  ///< of a request, with its first byte
  bool extended;                  ///< in the extended session only
  /// Sub-functions, each with the length of its request; none: the service has none.
  struct SubFunction {
    std::uint8_t number = kNoSubFunction;
    std::size_t length = 0;
  };
  std::array<SubFunction, 5> sub_functions;
  Handler handler;
};

const UdsServer::Service* UdsServer::find(std::uint8_t wanted) noexcept {
  constexpr std::size_t kReadMost = 1 + 2 * kMostIdentifiers;
  static constexpr Service kServices[] = {
      {sid::kSession, 2, 2, false, {{{0x01, 2}, {0x03, 2}}}, &UdsServer::control_session},
      {sid::kReset, 2, 2, false, {{{0x01, 2}, {0x03, 2}}}, &UdsServer::reset},
      {sid::kClear, 4, 4, false, {}, &UdsServer::clear},
      {sid::kReadDtc,
       2,
       6,
       false,
       {{{0x01, 3}, {0x02, 3}, {0x04, 6}, {0x06, 6}, {0x0A, 2}}},
       &UdsServer::read_dtc},
      {sid::kReadData, 3, kReadMost, false, {}, &UdsServer::read_data},
      {sid::kOutputControl, 4, 5, true, {}, &UdsServer::control_output},
      {sid::kTesterPresent, 2, 2, false, {{{0x00, 2}}}, &UdsServer::tester_present}};
  const auto* service = std::find_if(std::begin(kServices), std::end(kServices),
                                     [&](const Service& s) { return s.sid == wanted; });
  return service == std::end(kServices) ? nullptr : service;
}

std::size_t UdsServer::answer(Request request, bool functional, const Situation& situation,
                              std::span<std::uint8_t> room) noexcept {
  if (request.empty()) return 0;
  session_until_ = situation.now + kSessionTimeout;
  const std::uint8_t wanted = request[0];
  Response out{room};
  Nrc nrc = Nrc::service_not_supported;
  bool silent = false;
  if (const Service* service = find(wanted)) {
    out.u8(static_cast<std::uint8_t>(wanted + sid::kPositive));
    nrc = serve(*service, request, situation, out);
    if (nrc == Nrc::none && out.too_long()) nrc = Nrc::response_too_long;
    silent = nrc == Nrc::none && service->sub_functions[0].number != kNoSubFunction &&
             (request[1] & kSuppressPositive) != 0;
  }
  if (silent || (functional && silent_when_functional(nrc))) return 0;
  if (nrc == Nrc::none) return out.size();
  out.restart();
  return out.u8(sid::kNegative).u8(wanted).u8(static_cast<std::uint8_t>(nrc)).size();
}

Nrc UdsServer::serve(const Service& service, Request request, const Situation& situation,
                     Response& out) noexcept {
  if (service.extended && session_ != Session::extended) return Nrc::service_not_in_session;
  if (request.size() < service.shortest) return Nrc::incorrect_length;
  if (service.sub_functions[0].number != kNoSubFunction) {
    const int number = request[1] & ~kSuppressPositive;
    const auto found =
        std::find_if(service.sub_functions.begin(), service.sub_functions.end(),
                     [&](const Service::SubFunction& sub) { return sub.number == number; });
    if (found == service.sub_functions.end()) return Nrc::sub_function_not_supported;
    if (request.size() != found->length) return Nrc::incorrect_length;
  }
  if (request.size() > service.longest) return Nrc::incorrect_length;
  return (this->*service.handler)(request, situation, out);
}

void UdsServer::update(Nanos now) noexcept {
  if (session_ == Session::extended && now >= session_until_) enter(Session::standard);
}

void UdsServer::enter(Session session) noexcept {
  session_ = session;
  for (int i = 0; i < kOutputCount; ++i) outputs_.let_go(static_cast<Output>(i));
}

Nrc UdsServer::control_session(Request request, const Situation&, Response& out) noexcept {
  const auto session = static_cast<Session>(request[1] & ~kSuppressPositive);
  enter(session);
  out.u8(static_cast<std::uint8_t>(session)).u16(kP2_ms).u16(kP2Star_10ms);
  return Nrc::none;
}

Nrc UdsServer::reset(Request request, const Situation& situation, Response& out) noexcept {
  // A car whose speed is not known may be on the road.
  if (!restarts_ || !stands(situation)) return Nrc::conditions_not_correct;
  reset_requested_ = true;
  out.u8(static_cast<std::uint8_t>(request[1] & ~kSuppressPositive));
  return Nrc::none;
}

Nrc UdsServer::tester_present(Request, const Situation&, Response& out) noexcept {
  out.u8(0);
  return Nrc::none;
}

bool UdsServer::append_data(Response& out, std::uint16_t id,
                            const Situation& situation) const noexcept {
  if (id == did::kSession) {
    out.u8(static_cast<std::uint8_t>(session_));
    return true;
  }
  if (const std::optional<Output> output = output_of(id)) {
    const std::optional<bool> held = outputs_.held(*output);
    out.u8(held ? (*held ? 1 : 0) : 0xFF);
    return true;
  }
  if (life_ != nullptr && append_counter(out, id, life_->counters())) return true;
  return append_identifier(out, id, identity_, situation);
}

Nrc UdsServer::read_data(Request request, const Situation& situation, Response& out) noexcept {
  if (request.size() % 2 == 0) return Nrc::incorrect_length;
  bool any = false;
  for (std::size_t at = 1; at < request.size(); at += 2) {
    const std::uint16_t id = u16_at(request, at);
    // An identifier goes before its value, and there may be none: into a copy first.
    Response with_id = out;
    with_id.u16(id);
    if (!append_data(with_id, id, situation)) continue;
    out = with_id;
    any = true;
  }
  return any ? Nrc::none : Nrc::request_out_of_range;
}

Nrc UdsServer::control_output(Request request, const Situation& situation, Response& out) noexcept {
  constexpr std::uint8_t kReturnControl = 0x00, kShortTermAdjustment = 0x03;
  const std::uint16_t id = u16_at(request, 1);
  const std::optional<Output> output = output_of(id);
  if (!output) return Nrc::request_out_of_range;
  const std::uint8_t option = request[3];
  if (option == kReturnControl) {
    if (request.size() != 4) return Nrc::incorrect_length;
    outputs_.let_go(*output);
    out.u16(id).u8(option).u8(0xFF);
    return Nrc::none;
  }
  if (option != kShortTermAdjustment) return Nrc::request_out_of_range;
  if (request.size() != 5) return Nrc::incorrect_length;
  const std::uint8_t level = request[4];
  if (level > 1) return Nrc::request_out_of_range;
  if (!outputs_.hold(*output, level == 1, situation.speed_mps)) return Nrc::conditions_not_correct;
  out.u16(id).u8(option).u8(level);
  return Nrc::none;
}

}  // namespace kerb::diagnostics
