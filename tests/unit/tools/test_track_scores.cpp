// SPDX-License-Identifier: Apache-2.0
// How tracks are judged, by cases whose figures can be worked out on paper; and SORT, the
// yardstick.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/eval/assignment.hpp"
#include "tools/eval/track_scores.hpp"
#include "tools/track/byte_track.hpp"
#include "tools/track/mounting.hpp"
#include "tools/track/sort.hpp"

using namespace kerb;
using namespace kerb::eval;

namespace {

constexpr double kTolerance = 1e-12;

/// 40 x 100, at a place of its own for each `slot`.
Box box_at(int slot, double moved = 0) { return {100.0 * slot + moved, 50, 40, 100}; }

/// Moved sideways so that the overlap with where it was is `shared`.
Box overlapping(int slot, double shared) { return box_at(slot, 40 * (1 - shared) / (1 + shared)); }

MotBox person(int id, const Box& box) { return {id, box, 1, false}; }
MotBox ignored(int id, const Box& box) { return {id, box, 0, true}; }

TEST(best_pairs_are_those_of_trying_all) {
  std::uint32_t random = 7;
  const auto draw = [&] {
    random = random * 1664525U + 1013904223U;
    return static_cast<double>(random >> 24U) / 16 - 4;
  };
  for (std::size_t rows = 1; rows <= 5; ++rows)
    for (std::size_t columns = 1; columns <= 5; ++columns)
      for (int turn = 0; turn < 20; ++turn) {
        Table worth{rows, columns};
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) worth.at(i, j) = draw();
        const std::vector<int> pairs = best_pairs(worth);
        double sum = 0;
        std::vector<int> taken;
        for (std::size_t i = 0; i < rows; ++i)
          if (pairs[i] >= 0) {
            sum += worth.at(i, static_cast<std::size_t>(pairs[i]));
            taken.push_back(pairs[i]);
          }
        TEST_ASSERT_EQUAL_size_t(std::min(rows, columns), taken.size());
        std::sort(taken.begin(), taken.end());
        TEST_ASSERT_TRUE(std::adjacent_find(taken.begin(), taken.end()) == taken.end());
        // Every order of as many places as the longer side has, of which the shorter takes its
        // part.
        std::vector<std::size_t> order(std::max(rows, columns));
        std::iota(order.begin(), order.end(), std::size_t{0});
        double best = -1e9;
        do {
          double one = 0;
          for (std::size_t i = 0; i < std::min(rows, columns); ++i)
            one += rows <= columns ? worth.at(i, order[i]) : worth.at(order[i], i);
          best = std::max(best, one);
        } while (std::next_permutation(order.begin(), order.end()));
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, best, sum);
      }
  TEST_ASSERT_EQUAL_size_t(0, best_pairs(Table{0, 3}).size());
  TEST_ASSERT_TRUE((std::vector<int>{-1, -1}) == best_pairs(Table{2, 0}));
}

TEST(tracks_that_are_the_truth_are_perfect) {
  MotBoxes truth;
  for (int frame = 1; frame <= 4; ++frame)
    truth[frame] = {person(1, box_at(0, frame)), person(2, box_at(1, -frame))};
  const TrackScores s = score_tracks(truth, truth);
  TEST_ASSERT_EQUAL_INT(8, s.people);
  TEST_ASSERT_EQUAL_INT(8, s.hits);
  TEST_ASSERT_EQUAL_INT(2, s.identities);
  TEST_ASSERT_EQUAL_INT(2, s.mostly_tracked);
  for (const double one : {s.mota(), s.motp(), s.idf1(), s.hota(), s.det_a(), s.ass_a(), s.loc_a()})
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 1, one);
}

TEST(another_track_half_way_is_a_switch_and_half_an_identity) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 4; ++frame) {
    truth[frame] = {person(1, box_at(0))};
    tracks[frame] = {person(frame <= 2 ? 10 : 11, box_at(0))};
  }
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(1, s.switches);
  TEST_ASSERT_EQUAL_INT(0, s.fragments);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.75, s.mota());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.5, s.idf1());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 1, s.det_a());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.5, s.ass_a());  // 2 of 4 + 2 - 2 boxes
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, std::sqrt(0.5), s.hota());
}

TEST(who_is_lost_and_found_again_is_a_fragment) {
  for (const bool somebody_else : {false, true}) {  // lost alone, or in a frame without any track
    MotBoxes truth, tracks;
    for (int frame = 1; frame <= 5; ++frame) {
      truth[frame] = {person(1, box_at(0))};
      if (frame != 3) tracks[frame] = {person(7, box_at(0))};
      if (!somebody_else) continue;
      truth[frame].push_back(person(2, box_at(5)));
      tracks[frame].push_back(person(8, box_at(5)));
    }
    const TrackScores s = score_tracks(truth, tracks);
    TEST_ASSERT_EQUAL_INT(1, s.misses);
    TEST_ASSERT_EQUAL_INT(1, s.fragments);
    TEST_ASSERT_EQUAL_INT(0, s.switches);
    TEST_ASSERT_EQUAL_INT(1, s.partly_tracked);  // 4 of 5 are not over 0.8
    const double people = somebody_else ? 10 : 5;
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 1 - 1 / people, s.mota());
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 2 * (people - 1) / (2 * people - 1), s.idf1());
    if (!somebody_else) TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.8, s.hota());  // both 4 of 5
  }
}

TEST(a_switch_is_counted_after_any_gap) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 6; ++frame) truth[frame] = {person(1, box_at(0))};
  tracks[1] = {person(4, box_at(0))};
  tracks[6] = {person(5, box_at(0))};
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(1, s.switches);
  TEST_ASSERT_EQUAL_INT(1, s.fragments);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 1 - 5.0 / 6, s.mota());
}

TEST(half_is_a_match_and_less_is_a_miss_and_a_false_alarm) {
  struct Case {
    double shared;
    int hits;
    int alphas;  // of HOTA, that count it
  };
  for (const Case& c : {Case{0.5, 1, 10}, Case{1.0 / 3, 0, 6}, Case{0.72, 1, 14}}) {
    const TrackScores s =
        score_tracks({{1, {person(1, box_at(0))}}}, {{1, {person(1, overlapping(0, c.shared))}}});
    TEST_ASSERT_EQUAL_INT(c.hits, s.hits);
    TEST_ASSERT_EQUAL_INT(1 - c.hits, s.misses);
    TEST_ASSERT_EQUAL_INT(1 - c.hits, s.false_alarms);
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, c.hits > 0 ? 1 : -1, s.mota());
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, c.hits, s.idf1());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.alphas / 19.0, s.hota());
    if (c.hits > 0) TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.shared, s.motp());
  }
}

TEST(a_match_is_kept_while_it_overlaps_by_half) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 3; ++frame) truth[frame] = {person(1, box_at(0))};
  tracks[1] = {person(1, box_at(0))};
  tracks[2] = {person(1, overlapping(0, 0.55)), person(2, box_at(0))};  // the nearer one waits
  tracks[3] = {person(1, overlapping(0, 0.45)), person(2, box_at(0))};
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(3, s.hits);
  TEST_ASSERT_EQUAL_INT(2, s.false_alarms);
  TEST_ASSERT_EQUAL_INT(1, s.switches);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, (1 + 0.55 + 1) / 3, s.motp());
}

TEST(a_match_of_long_ago_is_not_kept) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 3; ++frame) truth[frame] = {person(1, box_at(0))};
  tracks[1] = {person(1, box_at(0))};
  tracks[2] = {person(1, box_at(4))};
  tracks[3] = {person(1, overlapping(0, 0.55)), person(2, box_at(0))};
  TEST_ASSERT_EQUAL_INT(1, score_tracks(truth, tracks).switches);
}

TEST(one_track_for_one_person_decides_identity) {
  // Track 9 is right for three frames of person 1 and four of person 2; track 8 for the other three
  // of person 1.
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 10; ++frame) {
    truth[frame] = {person(1, box_at(0)), person(2, box_at(3))};
    if (frame <= 3) tracks[frame] = {person(9, box_at(0))};
    if (frame >= 4 && frame <= 6) tracks[frame] = {person(8, box_at(0))};
    if (frame >= 7) tracks[frame] = {person(9, box_at(3))};
  }
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(7, s.identity_hits);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 2 * 7 / 30.0, s.idf1());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.35, s.id_recall());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.7, s.id_precision());
  // DetA 10 / 20; pairs (1, 9): 3 of 10 + 7 - 3; (1, 8): 3 of 10; (2, 9): 4 of 10 + 7 - 4.
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.5, s.det_a());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, (9 / 14.0 + 9 / 10.0 + 16 / 13.0) / 10, s.ass_a());
}

TEST(what_is_to_be_ignored_counts_neither_way) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 2; ++frame) {
    truth[frame] = {person(1, box_at(0)), ignored(2, box_at(2)), ignored(3, box_at(4))};
    tracks[frame] = {person(1, box_at(0)), person(2, overlapping(2, 0.6)),
                     person(3, overlapping(4, 0.4))};  // 0.4: not on it
  }
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(2, s.people);
  TEST_ASSERT_EQUAL_INT(1, s.identities);
  TEST_ASSERT_EQUAL_INT(2, s.ignored);
  TEST_ASSERT_EQUAL_INT(0, s.misses);
  TEST_ASSERT_EQUAL_INT(2, s.false_alarms);
  TEST_ASSERT_EQUAL_INT(2, s.tracks);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0, s.mota());
}

TEST(a_person_beside_an_ignored_one_keeps_the_track) {
  // The track overlaps both; the person more.
  const MotBoxes truth{{1, {ignored(2, overlapping(0, 0.6)), person(1, box_at(0))}}};
  const TrackScores s = score_tracks(truth, {{1, {person(5, box_at(0))}}});
  TEST_ASSERT_EQUAL_INT(1, s.hits);
  TEST_ASSERT_EQUAL_INT(0, s.ignored);
}

TEST(who_is_followed_mostly_partly_or_hardly) {
  MotBoxes truth, tracks;
  const int found[] = {9, 8, 2, 1, 0};  // of 10 frames
  for (int frame = 1; frame <= 10; ++frame)
    for (int i = 0; i < 5; ++i) {
      truth[frame].push_back(person(i, box_at(i)));
      if (frame <= found[i]) tracks[frame].push_back(person(i, box_at(i)));
    }
  const TrackScores s = score_tracks(truth, tracks);
  TEST_ASSERT_EQUAL_INT(1, s.mostly_tracked);
  TEST_ASSERT_EQUAL_INT(2, s.partly_tracked);
  TEST_ASSERT_EQUAL_INT(2, s.mostly_lost);
  TEST_ASSERT_EQUAL_INT(30, s.misses);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.4, s.recall());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 1, s.precision());
}

TEST(nobody_and_nothing) {
  const MotBoxes one{{3, {person(1, box_at(0))}}};
  const TrackScores empty = score_tracks({}, {}), missed = score_tracks(one, {}),
                    alarm = score_tracks({}, one);
  for (const double perfect : {empty.mota(), empty.idf1(), empty.hota()})
    TEST_ASSERT_EQUAL_DOUBLE(1, perfect);
  for (const double none :
       {missed.mota(), missed.idf1(), missed.hota(), alarm.mota(), alarm.idf1(), alarm.hota()})
    TEST_ASSERT_EQUAL_DOUBLE(0, none);
  TEST_ASSERT_EQUAL_INT(1, missed.mostly_lost);
  TEST_ASSERT_EQUAL_INT(1, alarm.false_alarms);
}

TEST(sequences_together_count_boxes_not_rates) {
  MotBoxes truth, tracks;
  for (int frame = 1; frame <= 9; ++frame) truth[frame] = {person(1, box_at(0))};
  tracks = truth;
  TrackScores all = score_tracks(truth, tracks);
  all += score_tracks({{1, {person(1, box_at(0))}}}, {{1, {person(1, box_at(3))}}});
  TEST_ASSERT_EQUAL_INT(10, all.people);
  TEST_ASSERT_EQUAL_INT(2, all.identities);
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.8, all.mota());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, 0.9, all.idf1());
  TEST_ASSERT_DOUBLE_WITHIN(kTolerance, std::sqrt(9 / 11.0), all.hota());
}

// --- SORT --------------------------------------------------------------------------------------

std::vector<MotBox> seen(const Box& box) { return {{-1, box, 1, false}}; }

TEST(sort_tells_new_tracks_after_four_frames_but_at_the_start_at_once) {
  lab::Sort sort{{}};
  for (int frame = 1; frame <= 3; ++frame)
    TEST_ASSERT_EQUAL_size_t(1, sort.update(seen(box_at(0))).size());
  for (int frame = 4; frame <= 7; ++frame) {
    const std::vector<MotBox> told =
        sort.update({{-1, box_at(0), 1, false}, {-1, box_at(3), 1, false}});
    TEST_ASSERT_EQUAL_size_t(frame < 7 ? 1 : 2, told.size());
    TEST_ASSERT_EQUAL_INT(1, told[0].id);
    if (frame == 7) TEST_ASSERT_EQUAL_INT(2, told[1].id);
  }
}

TEST(sort_follows_who_moves_evenly_through_one_missing_frame_and_not_through_two) {
  for (const int missing : {1, 2}) {
    lab::Sort sort{{}};
    int frame = 0;
    const auto step = [&](bool is_seen) {
      ++frame;
      return sort.update(is_seen ? seen(box_at(0, 12.0 * frame)) : std::vector<MotBox>{});
    };
    std::vector<MotBox> told;
    for (int i = 0; i < 10; ++i) told = step(true);
    TEST_ASSERT_EQUAL_size_t(1, told.size());
    TEST_ASSERT_EQUAL_INT(1, told[0].id);
    TEST_ASSERT_DOUBLE_WITHIN(2, box_at(0, 120).x, told[0].box.x);
    TEST_ASSERT_DOUBLE_WITHIN(1, 40, told[0].box.w);
    for (int i = 0; i < missing; ++i) TEST_ASSERT_EQUAL_size_t(0, step(false).size());
    for (int i = 0; i < 4; ++i) told = step(true);
    TEST_ASSERT_EQUAL_size_t(1, told.size());
    TEST_ASSERT_EQUAL_INT(missing == 1 ? 1 : 2, told[0].id);
  }
}

// --- ByteTrack ---------------------------------------------------------------------------------

std::vector<MotBox> scored(const Box& box, double score) { return {{-1, box, score, false}}; }

TEST(bytetrack_tells_new_tracks_in_their_second_frame_but_at_the_start_at_once) {
  lab::ByteTrack tracker{{}};
  TEST_ASSERT_EQUAL_size_t(1, tracker.update(scored(box_at(0), 6)).size());
  std::vector<MotBox> both = scored(box_at(0), 6);
  both.push_back({-1, box_at(3), 6, false});
  TEST_ASSERT_EQUAL_size_t(1, tracker.update(both).size());
  const std::vector<MotBox> told = tracker.update(both);
  TEST_ASSERT_EQUAL_size_t(2, told.size());
  TEST_ASSERT_EQUAL_INT(1, told[0].id);
  TEST_ASSERT_EQUAL_INT(2, told[1].id);
}

TEST(bytetrack_continues_with_low_scores_and_begins_with_none) {
  lab::ByteTrackSettings settings;
  settings.high_score = 5;
  lab::ByteTrack tracker{settings};
  for (int i = 0; i < 5; ++i)
    TEST_ASSERT_EQUAL_size_t(0, tracker.update(scored(box_at(0), 3)).size());
  for (int i = 0; i < 2; ++i) tracker.update(scored(box_at(0), 6));
  for (int i = 0; i < 5; ++i) {
    const std::vector<MotBox> told = tracker.update(scored(box_at(0), 3));
    TEST_ASSERT_EQUAL_size_t(1, told.size());
    TEST_ASSERT_EQUAL_INT(1, told[0].id);
  }
  // A lost one is found again by a high score alone, within thirty frames.
  for (int i = 0; i < 20; ++i) TEST_ASSERT_EQUAL_size_t(0, tracker.update({}).size());
  TEST_ASSERT_EQUAL_size_t(0, tracker.update(scored(box_at(0), 3)).size());
  const std::vector<MotBox> found = tracker.update(scored(box_at(0), 6));
  TEST_ASSERT_EQUAL_size_t(1, found.size());
  TEST_ASSERT_EQUAL_INT(1, found[0].id);
  for (int i = 0; i < 31; ++i) static_cast<void>(tracker.update({}));
  static_cast<void>(tracker.update(scored(box_at(0), 6)));
  TEST_ASSERT_EQUAL_INT(2, tracker.update(scored(box_at(0), 6)).at(0).id);
}

// --- the mounting ------------------------------------------------------------------------------

/// People of 1.6 to 1.8 m seen by a camera of focal 800 in pictures of 600 rows, and posts that are
/// none; in every third frame the detector errs.
std::vector<Box> crowd(double camera_m, double horizon, int posts) {
  std::vector<Box> boxes;
  for (int i = 0; i < 60; ++i) {
    const double distance = 6 + 0.4 * i, scale = 800 / distance;
    const double height = (1.6 + 0.05 * (i % 5)) * scale * (i % 3 == 0 ? 1.04 : 1);
    const double foot = horizon + camera_m * scale;
    boxes.push_back({10.0 * i, foot - height, 0.4 * height, height});
  }
  for (int i = 0; i < posts; ++i) boxes.push_back({5.0 * i, 60 + 7.0 * i, 40, 150});
  return boxes;
}

TEST(people_say_how_the_camera_sits) {
  struct Case {
    double camera_m, horizon;
    int posts;
  };
  for (const Case& c :
       {Case{1.4, 300, 0}, Case{1.4, 300, 25}, Case{2.8, 240, 25}, Case{0.9, 330, 25}}) {
    const std::optional<lab::Mounting> m =
        lab::fit_mounting(crowd(c.camera_m, c.horizon, c.posts), 800, 299.5, 600);
    TEST_ASSERT_TRUE(m.has_value());
    TEST_ASSERT_DOUBLE_WITHIN(0.1 * c.camera_m, c.camera_m, m->height_m);
    const double pitch = std::atan((c.horizon - 299.5) / 800) * 180 / 3.14159265358979;
    TEST_ASSERT_DOUBLE_WITHIN(0.6, pitch, m->pitch_deg);
    TEST_ASSERT_TRUE(m->share > 0.25);
  }
}

TEST(too_few_and_what_no_camera_shows_say_nothing) {
  std::vector<Box> few = crowd(1.4, 300, 0);
  few.resize(20);
  TEST_ASSERT_FALSE(lab::fit_mounting(few, 800, 299.5, 600).has_value());
  std::vector<Box> same(50, Box{100, 100, 40, 100});  // one height tells no line
  TEST_ASSERT_FALSE(lab::fit_mounting(same, 800, 299.5, 600).has_value());
  std::vector<Box> hanging;  // the larger, the higher up their feet
  for (int i = 0; i < 50; ++i) hanging.push_back({0, 400.0 - 5 * i, 30, 50.0 + 2 * i});
  TEST_ASSERT_FALSE(lab::fit_mounting(hanging, 800, 299.5, 600).has_value());
}

}  // namespace
