// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/product_finder.hpp"

#include <utility>

namespace kerb::lab {
namespace {

/// What goes wrong is told by what is returned.
class QuietLog final : public Log {
 public:
  void write(LogLevel, const char*, std::string_view) noexcept override {}
};

}  // namespace

Result<ProductFinder> ProductFinder::create(Config config, int width, int height) {
  config.vision_backend = VisionBackend::cpu;
  ProductFinder made;
  made.log_ = std::make_unique<QuietLog>();
  Result<std::unique_ptr<Vision>> vision = Vision::create(config, *made.log_);
  if (!vision) return vision.error();
  made.vision_ = std::move(*vision);
  FrameSourceInfo info;
  info.format = PixelFormat::rgb24;
  info.width = width;
  info.height = height;
  Result<std::unique_ptr<Detector>> detector =
      made.vision_->make_detector(info, config.cameras.front());
  if (!detector) return detector.error();
  if (!*detector)
    return Error{Errc::not_found, 0, "detector",
                 Text<112>{std::string_view{why_no_model(config.detector)}}};
  made.detector_ = std::move(*detector);
  return made;
}

Status ProductFinder::find(const LoadedPicture& picture, DetectionList& out) {
  PreparedImage image;
  image.grey = picture.view().grey;
  image.rgb = picture.view().rgb;
  return detector_->detect(image, out);
}

}  // namespace kerb::lab
