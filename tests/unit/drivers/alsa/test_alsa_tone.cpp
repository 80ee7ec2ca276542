// SPDX-License-Identifier: Apache-2.0
// ALSA without a sound card: its "file" device writes what is played into a file, which is then
// measured.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "drivers/alsa/alsa_tone.hpp"
#include "tests/contract/outputs_tone_measure.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(a_missing_device_is_not_found_in_one_line) {
  std::fflush(stderr);
  const int saved = ::dup(2);
  const fs::path caught = fs::temp_directory_path() / ("kerb-stderr-" + std::to_string(::getpid()));
  const int file = ::open(caught.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  ::dup2(file, 2);
  AlsaToneOptions options;
  options.device = "hw:31,7";
  const auto card = AlsaTone::open(options);
  options.device = "hw:57,3";  // more cards than ALSA can have
  const auto beyond = AlsaTone::open(options);
  options.device = "no_such_pcm";
  const auto name = AlsaTone::open(options);
  std::fflush(stderr);
  ::dup2(saved, 2);
  ::close(saved);
  ::close(file);
  const auto chatter = fs::file_size(caught);
  fs::remove(caught);
  TEST_ASSERT_ERROR(Errc::not_found, card);
  TEST_ASSERT_ERROR(Errc::not_found, beyond);
  TEST_ASSERT_ERROR(Errc::not_found, name);
  TEST_ASSERT_NOT_NULL(strstr(describe(card.error()).c_str(), "open sound device: hw:31,7: "));
  TEST_ASSERT_NULL(strchr(describe(card.error()).c_str(), '\n'));
  TEST_ASSERT_EQUAL_MESSAGE(0, chatter, "libasound wrote to the error stream");
}

TEST(options_that_make_no_sense_are_refused) {
  for (const AlsaToneOptions& options : {AlsaToneOptions{"", 48000}, AlsaToneOptions{"null", 100},
                                         AlsaToneOptions{"null", 1'000'000}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, AlsaTone::open(options));
}

TEST(what_reaches_alsa_is_the_pattern_at_the_pace_of_life) {
  const fs::path path =
      fs::temp_directory_path() / ("kerb-tone-" + std::to_string(::getpid()) + ".raw");
  Recording recording;
  unsigned channels = 0;
  constexpr auto kPlayed = 1500ms;
  double lasted = 0;
  {
    AlsaToneOptions options;
    options.device = "file:'" + path.string() + "',raw";
    auto tone = AlsaTone::open(options);
    if (!tone) TEST_IGNORE_MESSAGE("ALSA's own configuration is not on this machine");
    TEST_ASSERT_TRUE((*tone)->buffer_ms() <= 40);
    recording.rate_hz = (*tone)->rate_hz();
    channels = (*tone)->channels();
    const auto before = std::chrono::steady_clock::now();
    TEST_ASSERT_OK((*tone)->play({1000, 8, 0.5, 0.8}));
    std::this_thread::sleep_for(kPlayed);
    TEST_ASSERT_OK((*tone)->stop());
    std::this_thread::sleep_for(100ms);
    lasted = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  }
  std::ifstream file{path, std::ios::binary};
  for (std::int16_t sample = 0; file.read(reinterpret_cast<char*>(&sample), sizeof sample);) {
    recording.samples.push_back(sample);
    file.ignore(static_cast<std::streamsize>((channels - 1) * sizeof sample));
  }
  fs::remove(path);
  const double seconds = static_cast<double>(recording.samples.size()) / recording.rate_hz;
  TEST_ASSERT_TRUE_MESSAGE(seconds < lasted + 0.3,
                           "a device that takes all must not be fed without end");
  TEST_ASSERT_TRUE_MESSAGE(seconds > 0.5, "nothing was played");
  const ToneMeasurement m = measure_tone(recording);
  TEST_ASSERT_DOUBLE_WITHIN(10, 1000, m.frequency_hz);
  TEST_ASSERT_DOUBLE_WITHIN(0.08, 8, m.pulses_per_s);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.8, m.peak);
  TEST_ASSERT_EQUAL_MESSAGE(0, recording.samples.back(), "silent after stop()");
}

TEST(it_ends_quickly_whatever_it_was_doing) {
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    auto tone = AlsaTone::open({"null", 48000});
    if (!tone) TEST_IGNORE_MESSAGE("ALSA's own configuration is not on this machine");
    if (i % 2 == 0) TEST_ASSERT_OK((*tone)->play(TonePattern{}));
  }
  TEST_ASSERT_TRUE(std::chrono::steady_clock::now() - before < 3s);
}

}  // namespace
