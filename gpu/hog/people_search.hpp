// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/hog/engine.hpp"
#include "gpu/hog/fusion.hpp"
#include "gpu/net/second_look.hpp"
#include "hal/vision.hpp"

namespace kerb::hog {

/// From a picture to people by all parts of a model: the engine searches, fusion merges its hits,
/// and, where the model has a network, that looks at them again (LookAgain in model.hpp). The same
/// people on every backend and machine, bit for bit. Allocates only when made. One thread at a
/// time.
class PeopleSearch {
 public:
  /// For pictures of this size. `context`, and on the CPU `workers`, must outlive it. Fails:
  /// invalid_argument (model or settings; mean shift for a model that looks again), io or device
  /// (no memory), unsupported.
  static Result<std::unique_ptr<PeopleSearch>> create(const Context& context, Workers& workers,
                                                      Model model, const SearchSettings& search,
                                                      const FusionSettings& fusion, int width,
                                                      int height);

  /// People of this score or more, best first. Fails: as Engine::search().
  Status find(const Picture<Space::host>& picture, float threshold, DetectionList& out) {
    return find_in(picture, threshold, out);
  }
  /// CUDA only.
  Status find(const Picture<Space::device>& picture, float threshold, DetectionList& out) {
    return find_in(picture, threshold, out);
  }

  [[nodiscard]] Engine& engine() noexcept { return *engine_; }
  [[nodiscard]] const Engine& engine() const noexcept { return *engine_; }
  [[nodiscard]] const Model& model() const noexcept { return engine_->model(); }
  /// Null: the model has no network.
  [[nodiscard]] const net::SecondLook* second_look() const noexcept { return second_look_.get(); }

 private:
  PeopleSearch(std::unique_ptr<Engine> engine, std::unique_ptr<Fusion> fusion,
               std::unique_ptr<net::SecondLook> second_look,
               const FusionSettings& settings) noexcept;
  template <Space S>
  Status find_in(const Picture<S>& picture, float threshold, DetectionList& out);
  template <Space S>
  Status look_again(const Picture<S>& picture, float threshold, DetectionList& people);

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Fusion> fusion_;  // of people, or of candidates
  std::unique_ptr<net::SecondLook> second_look_;
  FusionSettings settings_;  // of people
};

}  // namespace kerb::hog
