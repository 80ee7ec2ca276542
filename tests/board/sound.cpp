// SPDX-License-Identifier: Apache-2.0
#include "tests/board/sound.hpp"

#include <alsa/asoundlib.h>

#include <algorithm>
#include <cstdlib>

#include "tests/board/posix.hpp"

namespace kerb::board {
namespace {

void must(int result, const std::string& what) {
  if (result < 0) throw BoardError(what + ": " + snd_strerror(result));
}

}  // namespace

HeardTone analyse(std::span<const std::int16_t> samples, unsigned rate) {
  HeardTone heard;
  int peak = 0;
  for (const std::int16_t s : samples) peak = std::max(peak, std::abs(int{s}));
  heard.peak = peak / 32768.0;
  if (peak < 328) return heard;  // a hundredth of full scale: silence

  // It sounds wherever a sample within the last few milliseconds was loud.
  const std::size_t hold = rate / 200;
  const int loud = peak / 8;
  std::vector<std::size_t> starts;
  std::size_t quiet = hold;
  std::size_t sounding = 0;
  std::size_t sounding_at_first = 0;
  std::size_t sounding_at_last = 0;
  std::size_t crossings = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_loud = std::abs(int{samples[i]}) > loud;
    if (is_loud && quiet >= hold && i > 0) {
      starts.push_back(i);
      if (starts.size() == 1) sounding_at_first = sounding;
      sounding_at_last = sounding;
    }
    quiet = is_loud ? 0 : quiet + 1;
    if (quiet >= hold) continue;
    ++sounding;
    if (i > 0 && (samples[i - 1] < 0) != (samples[i] < 0)) ++crossings;
  }
  if (sounding == 0) return heard;
  const double dr = rate;
  // Each pulse is held on for `hold` too long.
  const std::size_t pulses = std::max<std::size_t>(starts.size(), 1);
  const std::size_t held = std::min(sounding - 1, pulses * hold);
  heard.frequency_hz =
      static_cast<double>(crossings) / 2 * dr / static_cast<double>(sounding - held);
  if (starts.size() < 2) {
    heard.duty = static_cast<double>(sounding) / static_cast<double>(samples.size());
    return heard;
  }
  const auto span = static_cast<double>(starts.back() - starts.front());
  const auto periods = static_cast<double>(starts.size() - 1);
  const double on = static_cast<double>(sounding_at_last - sounding_at_first) -
                    periods * static_cast<double>(hold);
  heard.pulses_per_s = periods * dr / span;
  heard.duty = on / span;
  return heard;
}

Sound::Sound(const std::string& device, Direction direction) {
  const auto stream =
      direction == Direction::record ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK;
  must(snd_pcm_open(&pcm_, device.c_str(), stream, 0), "open sound device " + device);
  constexpr unsigned kLatency = 500'000;  // microseconds: an emulated CPU is late now and then
  must(snd_pcm_set_params(pcm_, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, kRate, 1,
                          kLatency),
       "set up sound device " + device);
}

Sound::~Sound() {
  if (pcm_ != nullptr) snd_pcm_close(pcm_);
}

std::vector<std::int16_t> Sound::record(double seconds) {
  const auto wanted = static_cast<std::size_t>(seconds * kRate);
  std::vector<std::int16_t> samples;
  std::vector<std::int16_t> part(kRate / 20);
  if (snd_pcm_state(pcm_) == SND_PCM_STATE_PREPARED) must(snd_pcm_start(pcm_), "start recording");
  while (samples.size() < wanted) {
    if (snd_pcm_wait(pcm_, 1000) <= 0) break;
    const auto room = std::min(part.size(), wanted - samples.size());
    snd_pcm_sframes_t got = snd_pcm_readi(pcm_, part.data(), room);
    if (got < 0) must(snd_pcm_recover(pcm_, static_cast<int>(got), 1), "record");
    if (got > 0) samples.insert(samples.end(), part.begin(), part.begin() + got);
  }
  return samples;
}

void Sound::play(std::span<const std::int16_t> samples) {
  while (!samples.empty()) {
    const snd_pcm_sframes_t done = snd_pcm_writei(pcm_, samples.data(), samples.size());
    if (done < 0) must(snd_pcm_recover(pcm_, static_cast<int>(done), 1), "play");
    if (done > 0) samples = samples.subspan(static_cast<std::size_t>(done));
  }
}

}  // namespace kerb::board
