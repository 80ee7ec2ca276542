// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb::records {

/// The version of what decides: tracker, contact judge, warning logic, and all they use. Raise it
/// with every change after which the same inputs may give another report or decision. A record
/// carries the version that decided; a replay by another version reports what differs as a
/// difference of versions, not as a fault. unit_replay_fixture fails when the decisions on its
/// record change and this number does not.
///   1   records up to format 3, which do not carry it, and the first of format 4
///   2   standing, walking and things as hypotheses; collision warnings that stay; reports say how
///       far people are seen
///   3   one person of several cameras; steering and signalled turns; patterns of the image; a
///       warning stays when the track is lost
///   4   the ground below the feet need not be the road; certainty by mean scores; walkers along
///       the road; bends that end
///   5   who stands is seldom in the way; contacts far ahead must be likely for longer
///   6   people are carried on without pictures; faults end no warning
///   7   more flow within a box; a bend that begins or ends is less certain; who hardly moves is
///       one who stands, but none is behind a car that reverses; the pace is that of who walks;
///       contacts up to 2.0 s ahead at once
///   8   no warning of who is not confirmed and has been seen for less than 0.15 s; flow beside a
///       box is not that of other people
///   9   boxes jitter more in height and less to the side, flow counts less; what has just come
///       into view is less certain; height and the latest scores count for who is a person; a
///       report without a picture is no evidence of who is not confirmed
inline constexpr std::uint32_t kDecisionsVersion = 9;

}  // namespace kerb::records
