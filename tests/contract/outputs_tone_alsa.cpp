// SPDX-License-Identifier: Apache-2.0
// KERB_TEST_ALSA names a device to play on, such as "hw:Loopback,0,0"; KERB_TEST_ALSA_CAPTURE one
// to listen on that hears it, such as "hw:Loopback,1,0".
#include <alsa/asoundlib.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "drivers/alsa/alsa_tone.hpp"
#include "tests/contract/outputs_tone_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

// The first channel of what comes in, from the moment it is called.
Recording record(const std::string& device, unsigned rate, unsigned channels, double seconds) {
  snd_pcm_t* pcm = nullptr;
  if (int err = snd_pcm_open(&pcm, device.c_str(), SND_PCM_STREAM_CAPTURE, 0); err < 0) {
    std::printf("%s: %s\n", device.c_str(), snd_strerror(err));
    std::exit(1);
  }
  Recording recording;
  recording.rate_hz = rate;
  const auto wanted = static_cast<std::size_t>(seconds * rate);
  if (snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, channels, rate, 0,
                         500'000) == 0) {
    snd_pcm_start(pcm);  // by itself it starts only when a whole buffer is asked for
    std::vector<std::int16_t> chunk(480 * channels);
    for (int failures = 0; recording.samples.size() < wanted && failures < 100;) {
      const snd_pcm_sframes_t got = snd_pcm_readi(pcm, chunk.data(), 480);
      if (got < 0 && ++failures > 0) snd_pcm_recover(pcm, static_cast<int>(got), 1);
      for (snd_pcm_sframes_t i = 0; i < got; ++i)
        recording.samples.push_back(chunk[static_cast<std::size_t>(i) * channels]);
    }
  }
  snd_pcm_close(pcm);
  return recording;
}

}  // namespace

SUITE_MAIN(words) {
  const char* device = std::getenv("KERB_TEST_ALSA");
  if (device == nullptr) {
    std::puts("KERB_TEST_ALSA is not set: no sound device to test with");
    return 77;
  }
  AlsaToneOptions options;
  options.device = device;
  unsigned rate = 0, channels = 0;
  if (const auto probe = AlsaTone::open(options)) {
    rate = (*probe)->rate_hz();
    channels = (*probe)->channels();
    std::printf("%s: %u Hz, %u channels, a buffer of %u ms\n", device, rate, channels,
                (*probe)->buffer_ms());
    if ((*probe)->buffer_ms() > 40) return 1;
  } else {
    std::printf("%s\n", describe(probe.error()).c_str());
    return 77;
  }
  ToneFixture fixture;
  fixture.open = [&]() -> std::unique_ptr<Tone> {
    auto tone = AlsaTone::open(options);
    if (tone) return std::move(*tone);
    std::printf("%s\n", describe(tone.error()).c_str());
    std::exit(1);
  };
  if (const char* capture = std::getenv("KERB_TEST_ALSA_CAPTURE"))
    fixture.listen = [=](double seconds) { return record(capture, rate, channels, seconds); };
  return run_tone_suite(fixture);
}
