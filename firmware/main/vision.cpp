// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/vision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/hog/detector.hpp"
#include "gpu/hog/model_file.hpp"
#include "gpu/image/preparer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/frame_memory.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb {
namespace {

BackendChoice choice_of(VisionBackend backend) {
  switch (backend) {
    case VisionBackend::cpu:
      return BackendChoice::cpu;
    case VisionBackend::cuda:
      return BackendChoice::cuda;
    case VisionBackend::automatic:
      break;
  }
  return BackendChoice::automatic;
}

hog::SearchSettings search_of(const DetectorSettings& settings) {
  hog::SearchSettings search;
  search.scale_step = settings.scale_step;
  search.stride = settings.stride;
  search.min_height = settings.min_height;
  search.max_height = settings.max_height;
  search.padding = settings.padding;
  search.max_levels = 1024;  // the picture and max_height are the limit
  search.region = {settings.region_x, settings.region_y, settings.region_width,
                   settings.region_height};
  if (settings.ground_horizon_row > 0)
    search.ground = hog::GroundPlane{settings.ground_horizon_row, settings.ground_camera_height_m,
                                     settings.ground_shortest_m, settings.ground_tallest_m,
                                     settings.ground_slack_rows};
  return search;
}

hog::FusionSettings fusion_of(const DetectorSettings& settings) {
  hog::FusionSettings fusion;
  fusion.kind = settings.fusion == FusionMethod::suppression ? hog::FusionKind::suppression
                                                             : hog::FusionKind::mean_shift;
  fusion.overlap = static_cast<float>(settings.overlap);
  fusion.min_hits = settings.min_hits;
  return fusion;
}

Result<std::unique_ptr<HogDetector>> detector_of(const DetectorSettings& settings,
                                                 const Context& context, Workers& workers,
                                                 const hog::Model& model, int width, int height) {
  return HogDetector::create(context, workers, model, search_of(settings), fusion_of(settings),
                             static_cast<float>(settings.threshold), width, height);
}

/// On CUDA the detector has no use for threads.
int threads_of(const Config& config, Backend backend) {
  if (backend == Backend::cuda) return 1;
  if (config.vision_threads > 0) return config.vision_threads;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / static_cast<int>(config.cameras.size()));
}

class GpuVision final : public Vision {
 public:
  GpuVision(Context context, const Config& config, Log& log)
      : context_{std::move(context)},
        memory_{context_},
        settings_{config.detector},
        threads_{threads_of(config, context_.backend())},
        log_{log} {
    if (!settings_.model.empty()) model_.emplace(hog::load(settings_.model));
  }
  FrameMemory& frame_memory() override { return memory_; }
  Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info) override {
    Result<std::unique_ptr<Preparer>> preparer = Preparer::create(context_, &memory_, info);
    if (!preparer) return preparer.error();
    return std::unique_ptr<ImagePreparer>{std::move(*preparer)};
  }
  Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info) override {
    if (!model_) return std::unique_ptr<Detector>{};
    if (!*model_) return model_->error();
    auto workers = std::make_unique<Workers>(threads_);
    Result<std::unique_ptr<HogDetector>> made =
        detector_of(settings_, context_, *workers, **model_, info.width, info.height);
    if (!made) return made.error();
    workers_.push_back(std::move(workers));
    const hog::SearchPlan& plan = (*made)->engine().plan();
    log_.info(
        "detector",
        fmt::format("{} for {}x{}: {} windows in {} sizes, on {}", (*made)->name(), info.width,
                    info.height, plan.window_count, plan.windows.size(),
                    context_.backend() == Backend::cuda ? std::string{"CUDA"}
                                                        : fmt::format("{} CPU threads", threads_)));
    return std::unique_ptr<Detector>{std::move(*made)};
  }

 private:
  Context context_;  // stays where it is from here on
  GpuFrameMemory memory_;
  DetectorSettings settings_;
  std::optional<Result<hog::Model>> model_;  // none: nobody asks for one
  int threads_;
  std::vector<std::unique_ptr<Workers>> workers_;  // a pool for each detector: they run at once
  Log& log_;
};

}  // namespace

Result<std::unique_ptr<Vision>> Vision::create(const Config& config, Log& log) {
  Result<Context> context = Context::create(choice_of(config.vision_backend));
  if (!context) return context.error();
  const ContextInfo& info = context->info();
  if (context->backend() == Backend::cuda) {
    log.info("vision", fmt::format("CUDA on {} (compute capability {}.{})", info.device.view(),
                                   info.compute_capability / 10, info.compute_capability % 10));
  } else {
    log.info("vision",
             info.reason.empty() ? std::string{"CPU"} : fmt::format("CPU: {}", info.reason.view()));
  }
  if (config.detector.model.empty())
    log.warning("detector", "no model is configured: nobody looks for people");
  return std::unique_ptr<Vision>{std::make_unique<GpuVision>(std::move(*context), config, log)};
}

Status check_detector(const Config& config) {
  if (config.detector.model.empty()) return Done{};
  const Result<hog::Model> model = hog::load(config.detector.model);
  if (!model) return model.error();
  // On the CPU, which every machine has: what it takes CUDA takes too, memory aside.
  const Result<Context> context = Context::create(BackendChoice::cpu);
  if (!context) return context.error();
  Workers workers{1};
  for (const CameraSettings& camera : config.cameras) {
    if (camera.kind != CameraKind::v4l2 && camera.kind != CameraKind::pattern) continue;
    const Result<std::unique_ptr<HogDetector>> made =
        detector_of(config.detector, *context, workers, *model, camera.width, camera.height);
    if (!made) return made.error();
  }
  return Done{};
}

}  // namespace kerb
