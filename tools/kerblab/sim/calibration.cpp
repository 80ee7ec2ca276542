// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/simulator/world/world.hpp"

namespace kerb::lab {
namespace {

constexpr double kHorizon_s = 4;  // of a prediction
// A track is of the person who is this near to it: metres, and a share of the distance ahead.
constexpr double kNear_m = 1, kNearShare = 0.2;

}  // namespace

void Calibration::add(double likelihood, bool came_true) noexcept {
  if (!(likelihood >= kLeast)) return;
  const auto i = std::min(static_cast<std::size_t>(likelihood * kBins), std::size_t{kBins - 1});
  Bin& bin = bins_[i];
  ++bin.predictions;
  bin.came_true += came_true ? 1 : 0;
  bin.sum += likelihood;
}

void Calibration::add(const BatchRun& run) {
  const sim::World world{run.run.scenario};
  const std::vector<std::optional<sim::Contact>>& contacts = world.contacts();
  sim::Moment now;
  std::vector<sim::PersonTruth> people;
  for (const FoundPeople& found : run.found) {
    if (found.contacts.empty()) continue;
    world.at(found.t, now);
    world.truth(now, people);
    for (const PredictedContact& predicted : found.contacts) {
      bool true_one = false;
      for (std::size_t i = 0; i < people.size(); ++i) {
        const std::optional<sim::Contact>& contact = contacts[i];
        if (!contact || contact->t <= found.t || contact->t > found.t + kHorizon_s) continue;
        const double off =
            std::hypot(people[i].ahead - predicted.ahead_m, people[i].left - predicted.left_m);
        true_one = true_one || off <= kNear_m + kNearShare * std::max(people[i].ahead, 0.0);
      }
      // After the contact nothing is predicted.
      const bool over = std::ranges::any_of(
          contacts, [&](const auto& contact) { return contact && contact->t <= found.t; });
      if (!over) add(predicted.likelihood, true_one);
    }
  }
}

double Calibration::error() const noexcept {
  double sum = 0;
  std::int64_t all = 0;
  for (const Bin& bin : bins_) {
    sum += static_cast<double>(bin.predictions) * std::abs(bin.mean() - bin.share());
    all += bin.predictions;
  }
  return all > 0 ? sum / static_cast<double>(all) : 0;
}

}  // namespace kerb::lab
