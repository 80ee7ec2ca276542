// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/camera_judge.hpp"

#include <optional>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// A camera at 30 Hz whose facts a test bends, looked at every 10 ms.
struct Scene {
  HealthSettings settings;
  Nanos now = seconds{10};
  HealthMonitor monitor{now, settings.recover};
  CameraJudge judge;
  PipelineFacts facts;
  StageReport total;
  Nanos next_frame = now;
  int every_nth_dropped = 0, every_nth_damaged = 0, exposed = 0;
  bool delivering = true;
  std::optional<Nanos> late_by;  ///< a report with each frame, so old; none: no reports
  Nanos reported{};
  bool processing = true;  ///< false: it hangs, with one frame in work and one that waits

  explicit Scene(Imaging imaging = Imaging::visible, bool live = true)
      : judge{settings, 0, now, imaging, live} {
    monitor.frames_flow();
    facts.image.mean = 100;
    facts.condition = CameraCondition::delivering;
    facts.condition_since = now;
  }
  void expose() {
    ++exposed;
    if (every_nth_dropped > 0 && exposed % every_nth_dropped == 0) {
      ++facts.camera.dropped;
    } else if (every_nth_damaged > 0 && exposed % every_nth_damaged == 0) {
      ++facts.camera.damaged;
    } else {
      ++facts.camera.delivered;
      facts.last_frame = now;
      if (processing) {
        ++facts.processed;
        ++facts.finished;
        ++total.frames;
        if (late_by) reported = now - *late_by;
      } else if (facts.camera.delivered > facts.finished + facts.skipped + 2) {
        ++facts.skipped;
      }
    }
  }
  /// Goes on: with what was in work, and with the newest frame.
  void resume() {
    processing = true;
    facts.finished = facts.camera.delivered - facts.skipped;
  }
  void run(Nanos duration) {
    for (const Nanos end = now + duration; now < end; now += milliseconds{10}) {
      for (; delivering && now >= next_frame; next_frame += Nanos{33333333}) expose();
      judge.judge(facts, total, reported, now, monitor);
    }
  }
  void enter(CameraCondition condition) {
    facts.condition = condition;
    facts.condition_since = now;
    delivering = condition == CameraCondition::delivering;
    next_frame = now;
  }
  void expect(HealthState state, Cause cause) const {
    const HealthReport r = monitor.evaluate(now);
    TEST_ASSERT_EQUAL_STRING(name_of(state), name_of(r.state));
    TEST_ASSERT_EQUAL_STRING(name_of(cause), name_of(r.cause));
  }
};

TEST(a_healthy_camera_is_active_at_its_rate) {
  Scene s;
  s.run(seconds{5});
  s.expect(HealthState::active, Cause::none);
  TEST_ASSERT_DOUBLE_WITHIN(1, 30, s.judge.rates().frames_per_s);
  TEST_ASSERT_EQUAL_DOUBLE(0, s.judge.rates().dropped_percent);
}

TEST(reports_that_are_too_old_to_warn_by_are_a_failure) {
  Scene s;
  s.late_by = milliseconds{280};
  s.run(seconds{3});
  s.expect(HealthState::active, Cause::none);
  s.late_by = milliseconds{320};
  s.run(milliseconds{290});
  s.expect(HealthState::active, Cause::none);
  s.run(milliseconds{100});
  s.expect(HealthState::failed, Cause::over_budget);
  TEST_ASSERT_DOUBLE_WITHIN(1, 320, s.monitor.evaluate(s.now).number);
  s.late_by = milliseconds{100};
  s.run(milliseconds{100});
  TEST_ASSERT_TRUE(s.monitor.present(Cause::over_budget, 0) == PartState::fine);
  Scene starts;  // with pictures that have waited
  starts.late_by = milliseconds{900};
  starts.run(milliseconds{400});
  starts.late_by = milliseconds{60};
  starts.run(milliseconds{100});
  TEST_ASSERT_TRUE(starts.monitor.present(Cause::over_budget, 0) == PartState::fine);
  Scene once;  // after a hang, what was in work comes late
  once.late_by = milliseconds{900};
  once.run(milliseconds{20});
  once.late_by = milliseconds{60};
  once.run(seconds{3});
  once.expect(HealthState::active, Cause::none);
}

TEST(silence_shows_within_300_ms_then_fails_then_recovers) {
  Scene s;
  s.run(seconds{3});
  s.enter(CameraCondition::silent);
  s.run(milliseconds{200});
  s.expect(HealthState::active, Cause::none);
  s.run(milliseconds{100});
  s.expect(HealthState::degraded, Cause::camera_silent);
  s.run(milliseconds{120});
  TEST_ASSERT_DOUBLE_WITHIN(40, 420, s.monitor.evaluate(s.now).number);
  s.run(seconds{1});
  s.expect(HealthState::failed, Cause::camera_silent);
  s.enter(CameraCondition::delivering);
  s.run(milliseconds{500});
  s.expect(HealthState::failed, Cause::camera_silent);
  s.run(seconds{3});
  s.expect(HealthState::active, Cause::none);
}

TEST(what_the_device_says_goes_before_the_silence) {
  struct Case {
    CameraCondition condition;
    Cause cause;
  };
  for (const Case& c : {Case{CameraCondition::no_signal, Cause::camera_no_signal},
                        Case{CameraCondition::gone, Cause::camera_gone}}) {
    Scene s;
    s.run(seconds{3});
    s.enter(c.condition);
    s.run(milliseconds{20});
    s.expect(HealthState::degraded, c.cause);
    s.run(seconds{2});
    s.expect(HealthState::failed, c.cause);
    s.enter(CameraCondition::delivering);
    s.run(seconds{4});
    s.expect(HealthState::active, Cause::none);
  }
}

TEST(when_every_frame_is_damaged_that_is_the_cause) {
  Scene s;
  s.run(seconds{3});
  s.every_nth_damaged = 1;
  s.run(milliseconds{300});
  s.expect(HealthState::degraded, Cause::camera_damaged);
  s.run(seconds{2});
  s.expect(HealthState::failed, Cause::camera_damaged);
  TEST_ASSERT_EQUAL_DOUBLE(100, s.monitor.evaluate(s.now).number);
  s.every_nth_damaged = 0;
  s.run(seconds{6});
  s.expect(HealthState::active, Cause::none);
}

TEST(dropped_frames_are_counted_in_per_cent) {
  Scene s;
  s.every_nth_dropped = 4;
  s.run(seconds{4});
  s.expect(HealthState::degraded, Cause::frames_dropped);
  TEST_ASSERT_DOUBLE_WITHIN(3, 25, s.monitor.evaluate(s.now).number);
  s.every_nth_dropped = 20;  // 5 %, under the limit of 10
  s.run(seconds{5});
  s.expect(HealthState::active, Cause::none);
}

TEST(what_was_lost_before_we_were_ready_is_no_fault) {
  Scene s;  // the camera streamed while the rest was opened: four frames piled up, eleven found no
            // room
  s.facts.camera.delivered = 4;
  s.facts.skipped = 3;
  s.run(milliseconds{30});
  s.facts.camera.dropped = 11;
  s.run(milliseconds{300});
  s.expect(HealthState::active, Cause::none);
  s.run(seconds{3});
  s.expect(HealthState::active, Cause::none);
  TEST_ASSERT_EQUAL_DOUBLE(0, s.judge.rates().dropped_percent);
}

TEST(the_first_frame_has_the_whole_time_of_the_start) {
  Scene s;
  s.monitor = HealthMonitor{s.now + s.settings.start, s.settings.recover};
  s.enter(CameraCondition::silent);
  s.run(s.settings.start - milliseconds{50});
  s.expect(HealthState::starting, Cause::camera_silent);
  s.run(milliseconds{100});
  s.expect(HealthState::failed, Cause::camera_silent);
}

TEST(frames_we_skip_count_as_dropped) {
  Scene s;
  for (int i = 0; i < 40; ++i) {
    s.run(milliseconds{100});
    s.facts.skipped += 1;  // one of three
  }
  s.expect(HealthState::degraded, Cause::frames_dropped);
  TEST_ASSERT_DOUBLE_WITHIN(4, 33, s.judge.rates().dropped_percent);
}

TEST(a_frozen_a_blinded_and_a_dark_picture_are_told_apart) {
  struct Case {
    ImageStatistics look;
    Cause cause;
  };
  for (const Case& c :
       {Case{{100, 20, milliseconds{600}, 0}, Cause::camera_frozen},
        Case{{250, 5, {}, 1}, Cause::camera_blinded}, Case{{2, 1, {}, 1}, Cause::camera_dark}}) {
    Scene s;
    s.run(seconds{2});
    s.facts.image = c.look;
    s.run(milliseconds{100});
    s.expect(HealthState::degraded, c.cause);
  }
}

TEST(a_dirty_picture_is_told_when_it_stays_so) {
  Scene s;
  s.run(seconds{2});
  s.facts.image.dull = 0.8;
  s.run(milliseconds{200});
  s.expect(HealthState::active, Cause::none);  // under a bridge
  s.facts.image.dull = 0.4;
  s.run(milliseconds{50});
  s.facts.image.dull = 0.8;
  s.run(milliseconds{200});
  s.expect(HealthState::active, Cause::none);
  s.run(milliseconds{100});
  s.expect(HealthState::degraded, Cause::camera_dirty);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 80, s.monitor.evaluate(s.now).number);
  s.facts.image.dull = 0.1;
  s.run(seconds{2});
  s.expect(HealthState::active, Cause::none);
}

TEST(a_thermal_camera_may_close_its_shutter_for_as_long_as_configured) {
  struct Case {
    ImageStatistics look;
    Cause cause;
    bool stands_still;
  };
  for (const Case& c : {Case{{100, 20, {}, 0}, Cause::camera_frozen, true},
                        Case{{255, 0, {}, 1}, Cause::camera_blinded, false},
                        Case{{0, 0, {}, 1}, Cause::camera_dark, false},
                        Case{{127, 2, {}, 1}, Cause::camera_dirty, false}}) {
    Scene s{Imaging::thermal};
    const ImageStatistics usual = s.facts.image;
    const auto close_for = [&](Nanos duration) {
      const Nanos from = s.now;
      while (s.now < from + duration) {
        s.facts.image = c.look;
        if (c.stands_still) s.facts.image.unchanged = s.now - from;
        s.run(milliseconds{10});
      }
    };
    s.run(seconds{2});
    close_for(milliseconds{900});
    s.expect(HealthState::active, Cause::none);
    s.facts.image = usual;
    s.run(milliseconds{500});
    s.expect(HealthState::active, Cause::none);
    close_for(milliseconds{900});  // it starts from nothing each time
    s.expect(HealthState::active, Cause::none);
    s.facts.image = usual;
    s.run(milliseconds{500});
    close_for(milliseconds{1050});
    s.expect(HealthState::degraded, c.cause);
    s.facts.image = usual;
    s.run(seconds{2});
    s.expect(HealthState::active, Cause::none);
  }
}

TEST(a_camera_that_looks_elsewhere_is_told_at_once) {
  Scene s;
  s.run(seconds{2});
  s.facts.aim_off_rad = 1.9 * 3.14159265 / 180;
  s.run(seconds{1});
  s.expect(HealthState::active, Cause::none);
  s.facts.aim_off_rad = 5 * 3.14159265 / 180;
  s.run(milliseconds{10});
  s.expect(HealthState::degraded, Cause::camera_misaligned);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 5, s.monitor.evaluate(s.now).number);
  s.facts.aim_off_rad = 0;
  s.run(milliseconds{900});
  s.expect(HealthState::degraded, Cause::camera_misaligned);
  s.run(milliseconds{200});
  s.expect(HealthState::active, Cause::none);
}

TEST(a_pipeline_that_mostly_misses_its_budget_is_degraded) {
  Scene s;
  s.total.sum = std::chrono::hours{1};  // long ago: only the last two seconds count
  s.total.median = milliseconds{1};
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t before = s.total.frames;
    s.run(milliseconds{100});
    s.total.over_budget += s.total.frames - before;
    s.total.sum += milliseconds{48} * static_cast<Nanos::rep>(s.total.frames - before);
  }
  s.run(milliseconds{10});
  s.expect(HealthState::degraded, Cause::over_budget);
  TEST_ASSERT_DOUBLE_WITHIN(3, 48, s.monitor.evaluate(s.now).number);
}

TEST(failing_vision_is_a_failure) {
  Scene s;
  s.run(seconds{1});
  s.facts.vision_error = static_cast<int>(Errc::device);
  s.run(milliseconds{50});
  s.expect(HealthState::failed, Cause::vision_failed);
}

TEST(a_processing_that_hangs_is_failed_within_300_ms_though_frames_arrive) {
  Scene s;
  s.run(seconds{3});
  s.processing = false;
  s.run(milliseconds{290});
  TEST_ASSERT_TRUE(s.monitor.severity(Cause::vision_stalled, 0) == PartState::fine);
  s.run(milliseconds{50});  // with up to a frame until one waits
  s.expect(HealthState::failed, Cause::vision_stalled);
  TEST_ASSERT_DOUBLE_WITHIN(40, 320, s.monitor.evaluate(s.now).number);
  s.run(seconds{20});
  s.expect(HealthState::failed, Cause::vision_stalled);
  TEST_ASSERT_DOUBLE_WITHIN(100, 20'340, s.monitor.evaluate(s.now).number);
  s.resume();
  s.run(milliseconds{900});
  s.expect(HealthState::failed, Cause::vision_stalled);
  s.run(seconds{3});  // also until the frames that were lost meanwhile are 2 s old
  s.expect(HealthState::active, Cause::none);
}

TEST(one_slow_frame_is_no_hang) {
  Scene s;
  s.run(seconds{3});
  for (int i = 0; i < 10; ++i) {
    s.processing = false;
    s.run(milliseconds{250});
    s.resume();
    s.run(milliseconds{50});
    TEST_ASSERT_TRUE(s.monitor.present(Cause::vision_stalled, 0) == PartState::fine);
  }
}

TEST(a_camera_that_is_silent_does_not_look_like_a_hang) {
  Scene s;
  s.run(seconds{3});
  s.enter(CameraCondition::silent);
  s.run(seconds{5});
  s.expect(HealthState::failed, Cause::camera_silent);
  TEST_ASSERT_TRUE(s.monitor.severity(Cause::vision_stalled, 0) == PartState::fine);
  s.enter(CameraCondition::delivering);  // nor does its first frame, however long nothing came
  s.run(milliseconds{250});
  TEST_ASSERT_TRUE(s.monitor.severity(Cause::vision_stalled, 0) == PartState::fine);
}

TEST(a_recording_waits_for_its_processing_and_never_hangs) {
  Scene s{Imaging::visible, false};
  s.run(seconds{3});
  s.processing = false;
  s.run(seconds{3});
  TEST_ASSERT_TRUE(s.monitor.severity(Cause::vision_stalled, 0) == PartState::fine);
}

TEST(a_failing_flow_degrades_as_people_are_still_found) {
  Scene s;
  s.run(seconds{1});
  s.facts.flow_error = static_cast<int>(Errc::device);
  s.run(milliseconds{50});
  s.expect(HealthState::degraded, Cause::flow_missing);
}

TEST(failing_looks_at_bands_degrade_as_colours_tell_people_apart) {
  Scene s;
  s.run(seconds{1});
  s.facts.spectral_error = static_cast<int>(Errc::device);
  s.run(milliseconds{50});
  s.expect(HealthState::degraded, Cause::bands_missing);
}

}  // namespace
