// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/logged_vision.hpp"

#include <algorithm>
#include <utility>

#include "firmware/track/colour_appearance.hpp"

namespace kerb::sim {
namespace {

bool same(const Detection& a, const Detection& b) noexcept {
  return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h && a.score == b.score;
}

class KeptDetector final : public Detector {
 public:
  KeptDetector(std::unique_ptr<Detector> detector, VisionKeeper& keeper)
      : detector_{std::move(detector)}, keeper_{keeper} {}
  Status detect(const PreparedImage& image, DetectionList& out) override {
    Status done = detector_->detect(image, out);
    if (done) keeper_.found(out);
    return done;
  }
  [[nodiscard]] const char* name() const noexcept override { return detector_->name(); }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override {
    return detector_->tracking_scores();
  }
  [[nodiscard]] bool needs_colour() const noexcept override { return detector_->needs_colour(); }
  [[nodiscard]] bool needs_motion() const noexcept override { return detector_->needs_motion(); }
  void set_motion(const MotionField* motion) noexcept override { detector_->set_motion(motion); }

 private:
  std::unique_ptr<Detector> detector_;
  VisionKeeper& keeper_;
};

class KeptFlow final : public FlowEstimator {
 public:
  KeptFlow(std::unique_ptr<FlowEstimator> flow, VisionKeeper& keeper)
      : flow_{std::move(flow)}, keeper_{keeper} {}
  Status estimate(const PreparedImage& image, int points, MotionField& out) override {
    Status done = flow_->estimate(image, points, out);
    if (done) keeper_.measured(out, false);
    return done;
  }
  void add_points_within(const Detection* boxes, int count, int points, MotionField& out) override {
    flow_->add_points_within(boxes, count, points, out);
    keeper_.measured(out, true);
  }
  void forget() noexcept override { flow_->forget(); }
  [[nodiscard]] const char* name() const noexcept override { return flow_->name(); }

 private:
  std::unique_ptr<FlowEstimator> flow_;
  VisionKeeper& keeper_;
};

class KeepingVision final : public Vision {
 public:
  KeepingVision(Vision& vision, VisionKeeper& keeper) : vision_{vision}, keeper_{keeper} {}
  FrameMemory& frame_memory() override { return vision_.frame_memory(); }
  Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info,
                                                       const CameraSettings& camera,
                                                       bool colour) override {
    return vision_.make_preparer(info, camera, colour);
  }
  Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info,
                                                  const CameraSettings& camera) override {
    Result<std::unique_ptr<Detector>> made = vision_.make_detector(info, camera);
    if (!made || !*made) return made;
    keeper_.log().detector = (*made)->name();
    keeper_.log().scores = (*made)->tracking_scores();
    return std::unique_ptr<Detector>{std::make_unique<KeptDetector>(std::move(*made), keeper_)};
  }
  Result<std::unique_ptr<FlowEstimator>> make_flow(const FrameSourceInfo& info) override {
    Result<std::unique_ptr<FlowEstimator>> made = vision_.make_flow(info);
    if (!made || !*made) return made;
    return std::unique_ptr<FlowEstimator>{std::make_unique<KeptFlow>(std::move(*made), keeper_)};
  }
  Result<std::unique_ptr<SpectralMatcher>> make_spectral(const FrameSourceInfo& info,
                                                         const CameraSettings& camera) override {
    return vision_.make_spectral(info, camera);
  }

 private:
  Vision& vision_;
  VisionKeeper& keeper_;
};

/// Passes on the small pictures of make_small_painter(): nobody is searched for in them.
class PlayedPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    return PreparedImage{{image.data, image.width, image.height, image.row_stride}, {}, {}, {}, {}};
  }
  [[nodiscard]] const char* backend() const noexcept override { return "log"; }
};

class PlayedDetector final : public Detector {
 public:
  explicit PlayedDetector(const VisionPlayer& player) : player_{player} {}
  Status detect(const PreparedImage& /*image*/, DetectionList& out) override {
    const std::vector<Detection>& found = player_.now().found;
    out.count = std::min(static_cast<int>(found.size()), DetectionList::kCapacity);
    std::copy_n(found.begin(), out.count, out.items);
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override {
    return player_.log().detector.c_str();
  }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override {
    return player_.log().scores;
  }

 private:
  const VisionPlayer& player_;
};

class PlayedFlow final : public FlowEstimator {
 public:
  explicit PlayedFlow(const VisionPlayer& player) : player_{player} {}
  Status estimate(const PreparedImage& /*image*/, int /*points*/, MotionField& out) override {
    out.count = 0;
    out.has_previous = player_.now().measured;
    append(0, player_.now().spread, out);
    return Done{};
  }
  void add_points_within(const Detection* /*boxes*/, int /*count*/, int /*points*/,
                         MotionField& out) override {
    append(player_.now().spread, player_.now().vectors.size(), out);
  }
  void forget() noexcept override {}
  [[nodiscard]] const char* name() const noexcept override { return "log"; }

 private:
  void append(std::size_t from, std::size_t to, MotionField& out) const {
    for (std::size_t i = from; i < to && out.count < MotionField::kCapacity; ++i)
      out.items[out.count++] = player_.now().vectors[i];
  }
  const VisionPlayer& player_;
};

class PlayedView final : public ViewSource {
 public:
  explicit PlayedView(const VisionPlayer& player) : player_{player} {}
  ViewMeasurement measure(const ImageView<Space::host, const std::uint8_t>& /*grey*/,
                          Nanos /*captured*/) noexcept override {
    return player_.now().view;
  }

 private:
  const VisionPlayer& player_;
};

class PlayedAppearance final : public track::Appearance {
 public:
  explicit PlayedAppearance(const VisionPlayer& player) : player_{player} {}
  void sign(const PreparedImage& /*image*/, const Detection& box, track::Signature& out) override {
    out = {};
    for (const VisionFrame::Look& look : player_.now().looks)
      if (same(look.box, box)) {
        out = look.signature;
        return;
      }
  }
  [[nodiscard]] double distance(const track::Signature& a,
                                const track::Signature& b) const noexcept override {
    return colours_->distance(a, b);
  }

 private:
  const VisionPlayer& player_;
  std::unique_ptr<track::Appearance> colours_ = track::make_colour_appearance();
};

}  // namespace

std::unique_ptr<Vision> VisionKeeper::keeping(Vision& vision) {
  return std::make_unique<KeepingVision>(vision, *this);
}

void VisionKeeper::found(const DetectionList& people) {
  if (!started_) return;
  frame_.found.assign(people.items, people.items + people.count);
}

void VisionKeeper::measured(const MotionField& field, bool added) {
  if (!started_) return;
  frame_.measured = field.has_previous;
  frame_.vectors.assign(field.items, field.items + field.count);
  if (!added) frame_.spread = frame_.vectors.size();
}

void VisionKeeper::before(Nanos /*now*/, const track::Senses& senses,
                          const PeopleEstimator& /*estimator*/) noexcept {
  if (!started_ || !senses.looked) return;  // without a picture nothing is delivered
  frame_.captured = senses.captured;
  frame_.view = senses.view;
  for (int i = 0; i < senses.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (senses.looks[at].known) frame_.looks.push_back({senses.boxes[at], senses.looks[at]});
  }
  log_.frames.push_back(std::exchange(frame_, {}));
}

void VisionKeeper::after(Nanos /*now*/, const risk::PeopleReport& /*report*/,
                         const PreparedImage& /*image*/) noexcept {}

bool VisionPlayer::show(Nanos captured) noexcept {
  const std::vector<VisionFrame>& frames = log_->frames;
  while (next_ < frames.size() && frames[next_].captured < captured) ++next_;
  if (next_ == frames.size() || frames[next_].captured != captured) return false;
  ++next_;
  return true;
}

std::unique_ptr<ImagePreparer> VisionPlayer::make_preparer() const {
  return std::make_unique<PlayedPreparer>();
}
std::unique_ptr<Detector> VisionPlayer::make_detector() const {
  return std::make_unique<PlayedDetector>(*this);
}
std::unique_ptr<FlowEstimator> VisionPlayer::make_flow() const {
  return std::make_unique<PlayedFlow>(*this);
}
std::unique_ptr<track::Appearance> VisionPlayer::make_appearance() const {
  return std::make_unique<PlayedAppearance>(*this);
}
std::unique_ptr<ViewSource> VisionPlayer::make_view() const {
  return std::make_unique<PlayedView>(*this);
}

}  // namespace kerb::sim
