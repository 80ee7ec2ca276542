// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/night_bench.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/hog/detector.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/workers.hpp"
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"
#include "tools/bench/contexts.hpp"
#include "tools/bench/street.hpp"

namespace kerb::bench {
namespace {

using Byte = std::uint8_t;

constexpr int kPlanes = 3;
constexpr int kShift = 3;           // pixels between the two pictures of the film
constexpr double kMotion_px = 3.3;  // what the flow says of it: between pixels, which costs most
constexpr int kVectorStep_px = 32;
constexpr double kProductStep = 1.15;  // firmware/vision: on the CPU
constexpr int kProductHeight_px = 40;

/// The street at another time of day, in planes.
std::vector<Byte> street(int width, int height, double brightness, int shift) {
  const std::vector<Byte> wide = street_colours(width + kShift, height);
  std::vector<Byte> out;
  const int count = kPlanes * width * height;
  out.reserve(static_cast<std::size_t>(count));
  for (int row = 0; row < kPlanes * height; ++row)
    for (int x = 0; x < width; ++x) {
      const int from = row * (width + kShift) + x + shift;
      out.push_back(static_cast<Byte>(brightness * wide[static_cast<std::size_t>(from)]));
    }
  return out;
}

template <Space S, typename T>
PlanesView<S, T> planes_of(T* data, const NightCase& size) {
  return {data,        kPlanes,    size.width,
          size.height, size.width, static_cast<std::ptrdiff_t>(size.width) * size.height};
}

std::unique_ptr<MotionField> motion_of(const NightCase& size, double dx) {
  auto field = std::make_unique<MotionField>();
  field->has_previous = true;
  for (int y = kVectorStep_px / 2; y < size.height; y += kVectorStep_px)
    for (int x = kVectorStep_px / 2; x < size.width && field->count < MotionField::kCapacity;
         x += kVectorStep_px)
      field->items[field->count++] = {static_cast<float>(x), static_cast<float>(y),
                                      static_cast<float>(dx), 0, 0.9F};
  return field;
}

struct ToneTask {
  const char* detail;
  double brightness;
  night::ToneCurveSettings settings;
};
const ToneTask kToneTasks[] = {{"bright enough", 1, {}},
                               {"one curve", 0.2, {64, 4, 0, 3}},
                               {"one curve and local ones", 0.2, {}}};

/// All of one size, on one backend.
class NightRunner {
 public:
  NightRunner(const Context& context, Workers& workers, const NightBench& bench, NightCase size)
      : context_{context},
        workers_{workers},
        bench_{bench},
        size_{size},
        is_cuda_{context.backend() == Backend::cuda} {}

  Status run(const Clock& clock, std::vector<NightRow>& rows) {
    const int samples = kPlanes * size_.width * size_.height;
    const auto bytes = static_cast<std::size_t>(samples);
    out_.resize(bytes);
    if (is_cuda_) {
      Result<DeviceBuffer<Byte>> made = DeviceBuffer<Byte>::create(context_, bytes);
      if (!made) return made.error();
      out_there_ = std::move(*made);
    }
    for (const ToneTask& task : kToneTasks)
      if (Status ok = add(task); !ok) return ok;
    for (const bool moves : {false, true})
      if (Status ok = add_filter(moves); !ok) return ok;
    if (bench_.model)
      if (Status ok = add_detector(); !ok) return ok;
    const Result<std::vector<Times>> times = contest(clock, contestants_, bench_.repeats);
    if (!times) return times.error();
    for (std::size_t i = 0; i < contestants_.size(); ++i)
      rows.push_back({size_, contestants_[i].name, details_[i], contestants_[i].backend,
                      is_cuda_ ? 0 : workers_.count(), (*times)[i],
                      bench_.model ? (*times)[i].median_ms / times->back().median_ms : 0});
    return Done{};
  }

 private:
  using Film = std::array<std::shared_ptr<std::vector<Byte>>, 2>;

  void contestant(const char* name, const char* detail, std::function<Status()> frame) {
    contestants_.push_back({name, is_cuda_ ? "cuda" : "cpu", std::move(frame)});
    details_.emplace_back(detail);
  }

  /// A picture on the device, for as long as this lives.
  Result<const Byte*> on_device(const std::vector<Byte>& picture) {
    Result<DeviceBuffer<Byte>> made = DeviceBuffer<Byte>::create(context_, picture.size());
    if (!made) return made.error();
    Status ok =
        copy_to_device(context_.stream(), made->device_data(), picture.data(), picture.size());
    if (ok) ok = wait(context_.stream());
    if (!ok) return ok.error();
    there_.push_back(std::move(*made));
    return const_cast<const Byte*>(there_.back().device_data());
  }

  Status add(const ToneTask& task) {
    Result<night::ToneCurve> made =
        night::ToneCurve::create(context_, task.settings, size_.width, size_.height, kPlanes);
    if (!made) return made.error();
    const auto curve = std::make_shared<night::ToneCurve>(std::move(*made));
    const auto in =
        std::make_shared<std::vector<Byte>>(street(size_.width, size_.height, task.brightness, 0));
    if (!is_cuda_) {
      contestant("tone_curve", task.detail, [this, curve, in]() -> Status {
        const Result<bool> done =
            curve->run(workers_, planes_of<Space::host, const Byte>(in->data(), size_),
                       planes_of<Space::host>(out_.data(), size_));
        return done ? Status{Done{}} : Status{done.error()};
      });
      return Done{};
    }
    const Result<const Byte*> picture = on_device(*in);
    if (!picture) return picture.error();
    contestant("tone_curve", task.detail, [this, curve, data = *picture] {
      const Status ok =
          curve->run(context_.stream(), planes_of<Space::device, const Byte>(data, size_),
                     planes_of<Space::device>(out_there_.device_data(), size_));
      return ok ? wait(context_.stream()) : ok;
    });
    return Done{};
  }

  Status add_filter(bool moves) {
    Result<night::TemporalFilter> made =
        night::TemporalFilter::create(context_, {}, size_.width, size_.height, kPlanes);
    if (!made) return made.error();
    struct State {
      night::TemporalFilter filter;
      std::array<std::vector<Byte>, 2> film;
      std::array<const Byte*, 2> there{};
      std::array<std::unique_ptr<MotionField>, 2> motion;
      std::size_t next = 0;
    };
    const auto state = std::make_shared<State>(State{std::move(*made), {}, {}, {}, 0});
    for (std::size_t i = 0; i < 2; ++i) {
      const bool second = moves && i == 1;
      state->film[i] = street(size_.width, size_.height, 0.2, second ? kShift : 0);
      if (moves) state->motion[i] = motion_of(size_, second ? -kMotion_px : kMotion_px);
      if (!is_cuda_) continue;
      const Result<const Byte*> picture = on_device(state->film[i]);
      if (!picture) return picture.error();
      state->there[i] = *picture;
    }
    contestant("temporal_filter", moves ? "moving, with flow" : "still, without flow", [=, this] {
      const std::size_t i = std::exchange(state->next, 1 - state->next);
      const MotionField* motion = state->motion[i].get();
      if (!is_cuda_)
        return state->filter.run(workers_,
                                 planes_of<Space::host, const Byte>(state->film[i].data(), size_),
                                 motion, planes_of<Space::host>(out_.data(), size_));
      const Status ok = state->filter.run(
          context_.stream(), planes_of<Space::device, const Byte>(state->there[i], size_), motion,
          planes_of<Space::device>(out_there_.device_data(), size_));
      return ok ? wait(context_.stream()) : ok;
    });
    return Done{};
  }

  Status add_detector() {
    const hog::Model& model = *bench_.model;
    hog::SearchSettings search;
    search.scale_step = std::max(hog::advised_scale_step(model.advice), kProductStep);
    search.stride = model.advice.stride;
    search.padding = model.advice.padding;
    search.min_height = kProductHeight_px;
    search.max_levels = 1024;
    hog::FusionSettings fusion;
    fusion.kind = model.advice.fusion;
    fusion.overlap = model.advice.overlap;
    fusion.of_smaller = model.advice.of_smaller;
    Result<std::unique_ptr<HogDetector>> made = HogDetector::create(
        context_, workers_, model, search, fusion,
        model.advice.threshold - model.advice.tracking_margin, size_.width, size_.height);
    if (!made) return made.error();
    const std::shared_ptr<HogDetector> detector = std::move(*made);
    const auto in = std::make_shared<std::vector<Byte>>(street(size_.width, size_.height, 0.8, 0));
    const Byte* there = nullptr;
    if (is_cuda_) {
      const Result<const Byte*> picture = on_device(*in);
      if (!picture) return picture.error();
      there = *picture;
    }
    const auto people = std::make_shared<DetectionList>();
    contestant("detector", "default model, as the product", [=, this] {
      PreparedImage image;
      image.rgb = planes_of<Space::host, const Byte>(in->data(), size_);
      image.grey = image.rgb.plane(0);
      if (is_cuda_) {
        image.device_rgb = planes_of<Space::device, const Byte>(there, size_);
        image.device_grey = image.device_rgb.plane(0);
      }
      return detector->detect(image, *people);
    });
    return Done{};
  }

  const Context& context_;
  Workers& workers_;
  const NightBench& bench_;
  NightCase size_;
  bool is_cuda_;
  std::vector<Byte> out_;
  DeviceBuffer<Byte> out_there_;
  std::vector<DeviceBuffer<Byte>> there_;
  std::vector<Contestant> contestants_;
  std::vector<std::string> details_;
};

}  // namespace

Result<std::vector<NightRow>> bench_night(const Clock& clock, const NightBench& bench) {
  Contexts contexts;
  if (Status ok = contexts.open(bench.cuda); !ok) return ok.error();
  Workers workers{bench.threads};
  std::vector<NightRow> rows;
  int done = 0;
  const int all =
      static_cast<int>(bench.cases.size()) * ((bench.cpu ? 1 : 0) + (bench.cuda ? 1 : 0));
  for (const NightCase& size : bench.cases)
    for (const bool cuda : {false, true}) {
      if (cuda ? !bench.cuda : !bench.cpu) continue;
      NightRunner runner{cuda ? *contexts.cuda : *contexts.cpu, workers, bench, size};
      if (Status ok = runner.run(clock, rows); !ok) return ok.error();
      if (bench.on_progress) bench.on_progress(++done, all);
    }
  return rows;
}

}  // namespace kerb::bench
