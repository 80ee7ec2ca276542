// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/stage_times.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
}

const char* name_of(Stage stage) noexcept {
  constexpr const char* kNames[] = {"capture", "prepare",  "check", "detect", "flow",
                                    "motion",  "spectral", "track", "total"};
  return kNames[static_cast<int>(stage)];
}

int StageTimes::bucket_of(Nanos spent) noexcept {
  const double us = static_cast<double>(spent.count()) * 1e-3;
  if (us <= 1) return 0;
  return std::min(static_cast<int>(std::log2(us) * kPerOctave), kBuckets - 1);
}

void StageTimes::add(Nanos spent) noexcept {
  // One writer: load and store are enough, no exchange is needed.
  spent = std::max(spent, Nanos::zero());
  frames_.store(frames_.load(kRelaxed) + 1, kRelaxed);
  sum_.store(sum_.load(kRelaxed) + spent.count(), kRelaxed);
  max_.store(std::max(max_.load(kRelaxed), spent.count()), kRelaxed);
  Nanos::rep recent = recent_max_.load(kRelaxed);  // the reader resets it: here a swap is needed
  while (spent.count() > recent &&
         !recent_max_.compare_exchange_weak(recent, spent.count(), kRelaxed)) {
  }
  const Nanos::rep budget = budget_.load(kRelaxed);
  if (budget > 0 && spent.count() > budget) over_.store(over_.load(kRelaxed) + 1, kRelaxed);
  auto& bucket = histogram_[static_cast<std::size_t>(bucket_of(spent))];
  bucket.store(bucket.load(kRelaxed) + 1, kRelaxed);
}

StageReport StageTimes::report() const noexcept {
  StageReport r;
  std::array<std::uint32_t, kBuckets> counts{};
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) all += counts[i] = histogram_[i].load(kRelaxed);
  r.frames = frames_.load(kRelaxed);
  r.over_budget = over_.load(kRelaxed);
  r.budget = Nanos{budget_.load(kRelaxed)};
  r.max = Nanos{max_.load(kRelaxed)};
  r.sum = Nanos{sum_.load(kRelaxed)};
  if (all == 0) return r;
  r.mean =
      Nanos{sum_.load(kRelaxed) / static_cast<Nanos::rep>(std::max<std::uint64_t>(r.frames, 1))};
  const auto quantile = [&](double q) {
    const double wanted = q * static_cast<double>(all);
    double seen = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      seen += counts[i];
      if (seen >= wanted && counts[i] > 0) {
        const double us = std::exp2((static_cast<double>(i) + 0.5) / kPerOctave);
        return std::min(Nanos{static_cast<Nanos::rep>(us * 1e3)}, r.max);
      }
    }
    return r.max;
  };
  r.median = quantile(0.5);
  r.p95 = quantile(0.95);
  r.p99 = quantile(0.99);
  return r;
}

}  // namespace kerb
