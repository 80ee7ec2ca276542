// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/fake/log.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/firmware/records/drive.hpp"
#include "tests/unit/firmware/records/toys.hpp"

namespace kerb::records::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A test gives the disk so long, of life's time, however slow the machine: the writer's end too.
inline RecorderOptions patient(RecorderOptions options) {
  options.shutdown_limit = kPatience;
  return options;
}

inline RecordedSettings toy_settings(std::size_t cameras = 1) {
  RecordedSettings settings;
  settings.version = "1.2.3";
  settings.cameras.resize(cameras);
  for (std::size_t i = 0; i < cameras; ++i) {
    settings.cameras[i].name = i == 0 ? "front" : "left";
    settings.cameras[i].model.focal_px = 1000.25 + static_cast<double>(i);
  }
  return settings;
}

inline Drive<ToyEstimator, ToyLogic> toy_drive(WarningRecorder* recorder, std::size_t cameras = 1) {
  std::vector<std::unique_ptr<ToyEstimator>> estimators(cameras);
  for (auto& estimator : estimators) estimator = std::make_unique<ToyEstimator>();
  return {std::move(estimators), ToyLogic{}, recorder};
}

inline std::unique_ptr<WarningRecorder> open_recorder(const RecorderOptions& options, Log& log,
                                                      std::size_t cameras = 1) {
  Result<std::unique_ptr<WarningRecorder>> recorder =
      WarningRecorder::open(options, toy_settings(cameras), nullptr, log, ToyDeciders{});
  TEST_ASSERT_OK(recorder);
  return std::move(*recorder);
}

/// Somebody `height` pixels tall, with a look and a flow of their own; 0: nobody.
inline Sight somebody(float height) {
  return [height](std::size_t camera, Nanos at, track::Senses& out) {
    if (height <= 0) return;
    const auto wobble = static_cast<float>(at.count() % 977) * 0.01f;
    out.looked = true;
    out.count = 1;
    out.boxes[0] = {300.1f + wobble + static_cast<float>(camera), 200, height / 2, height, 1.5f};
    out.looks[0].known = true;
    out.looks[0].values[7] = wobble;
    out.flow_says_moves[0] = true;
    out.followed = 1;
    out.flows[0] = {12, 0.5f, 0.25f, 0.01f, 0.1f, 0.002f};
    out.pitch_rad = 0.001 * static_cast<double>(wobble);
  };
}
/// Of whom the toy does not warn, informs, warns of a collision.
inline constexpr float kFar = 50, kNear = 240, kTooNear = 400;

inline std::vector<std::string> files_of(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::vector<std::byte> out(text.size());
  std::transform(text.begin(), text.end(), out.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return out;
}

/// The bytes of one record: 12 s with nobody near, a warning of one second, and what follows it.
inline std::vector<std::byte> toy_record(std::size_t cameras = 1) {
  const kerb::test::TempFolder folder;
  FakeLog log;
  {
    const RecorderOptions options =
        patient({.path = folder.at("records"), .before = seconds{3}, .after = seconds{1}});
    const auto recorder = open_recorder(options, log, cameras);
    auto drive = toy_drive(recorder.get(), cameras);
    drive.pace = milliseconds{200};
    drive.run_until(seconds{112}, somebody(kFar), 10);
    drive.run_until(seconds{113}, somebody(kTooNear), 10);
    TEST_ASSERT_EQUAL(static_cast<int>(WarningLevel::collision), static_cast<int>(drive.level()));
    drive.run_until(seconds{116}, somebody(0), 10);
    TEST_ASSERT_TRUE(recorder->flush(kPatience));
    TEST_ASSERT_EQUAL_UINT64(1, recorder->status().written);
    TEST_ASSERT_EQUAL_UINT64(0, recorder->status().lost);
  }
  const std::vector<std::string> files = files_of(folder.at("records"));
  TEST_ASSERT_EQUAL_size_t(1, files.size());
  return bytes_of(files[0]);
}

}  // namespace kerb::records::test
