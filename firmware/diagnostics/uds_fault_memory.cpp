// SPDX-License-Identifier: Apache-2.0
// The services of the trouble codes: ClearDiagnosticInformation and ReadDTCInformation.
#include "firmware/diagnostics/uds_identifiers.hpp"
#include "firmware/diagnostics/uds_server.hpp"

namespace kerb::diagnostics {
namespace {

constexpr std::uint32_t kAllGroups = 0xFFFFFF;
constexpr std::uint8_t kIso14229Format = 0x01;  // DTCs of three bytes, as ISO 14229-1 has them
constexpr std::uint8_t kAllRecords = 0xFF;
constexpr std::uint8_t kFirstFrame = 0x01, kLastFrame = 0x02;
constexpr std::uint8_t kOccurrences = 0x01, kCyclesHealed = 0x02;

}  // namespace

Nrc UdsServer::clear(Request request, const Situation& situation, Response&) noexcept {
  const std::uint32_t group = u24_at(request, 1);
  const std::optional<DtcKey> one = key_of(group, memory_.cameras());
  if (!one && group != kAllGroups) return Nrc::request_out_of_range;
  // What happens on the road must not be forgotten there.
  if (moves(situation)) return Nrc::conditions_not_correct;
  if (one)
    memory_.clear(*one);
  else
    memory_.clear();
  ++clears_;
  return Nrc::none;
}

Nrc UdsServer::read_dtc(Request request, const Situation&, Response& out) noexcept {
  const std::uint8_t kind = request[1] & 0x7F;
  out.u8(kind);
  switch (kind) {
    case 0x01:
    case 0x02:
      return read_by_mask(request[2], kind == 0x01, out);
    case 0x04:
      return read_frames(u24_at(request, 2), request[5], out);
    case 0x06:
      return read_extended(u24_at(request, 2), request[5], out);
    default:  // 0x0A: the table of services has no other
      return read_supported(out);
  }
}

Nrc UdsServer::read_by_mask(std::uint8_t mask, bool count, Response& out) const noexcept {
  out.u8(status::kAvailable);
  std::uint16_t found = 0;
  memory_.each([&](DtcKey key, const DtcEntry& e) {
    if ((e.status & mask & status::kAvailable) == 0) return;
    ++found;
    if (!count) out.u24(dtc_of(key)).u8(e.status);
  });
  if (count) out.u8(kIso14229Format).u16(found);
  return Nrc::none;
}

Nrc UdsServer::read_supported(Response& out) const noexcept {
  out.u8(status::kAvailable);
  memory_.each([&](DtcKey key, const DtcEntry& e) { out.u24(dtc_of(key)).u8(e.status); });
  return Nrc::none;
}

Nrc UdsServer::read_frames(std::uint32_t dtc, std::uint8_t record, Response& out) const noexcept {
  const std::optional<DtcKey> key = key_of(dtc, memory_.cameras());
  const bool all = record == kAllRecords;
  if (!key || (!all && record != kFirstFrame && record != kLastFrame))
    return Nrc::request_out_of_range;
  const DtcEntry& e = memory_.entry(*key);
  out.u24(dtc).u8(e.status);
  if (e.occurrences == 0) return Nrc::none;
  if (all || record == kFirstFrame) append_frame(out.u8(kFirstFrame), e.first);
  if (all || record == kLastFrame) append_frame(out.u8(kLastFrame), e.last);
  return Nrc::none;
}

Nrc UdsServer::read_extended(std::uint32_t dtc, std::uint8_t record, Response& out) const noexcept {
  const std::optional<DtcKey> key = key_of(dtc, memory_.cameras());
  const bool all = record == kAllRecords;
  if (!key || (!all && record != kOccurrences && record != kCyclesHealed))
    return Nrc::request_out_of_range;
  const DtcEntry& e = memory_.entry(*key);
  out.u24(dtc).u8(e.status);
  if (e.occurrences == 0) return Nrc::none;
  if (all || record == kOccurrences) out.u8(kOccurrences).u8(e.occurrences);
  if (all || record == kCyclesHealed) out.u8(kCyclesHealed).u8(e.cycles_healed);
  return Nrc::none;
}

}  // namespace kerb::diagnostics
