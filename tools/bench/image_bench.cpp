// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/image_bench.hpp"

#include <memory>
#include <optional>

#include "gpu/image/pyramid.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/bench/random.hpp"

namespace kerb::bench {
namespace {

constexpr int kBatch = 32;

struct Size {
  int width, height;
};

/// One operator on one kind of input. Either side may be missing.
struct Task {
  std::string name, detail;
  Size size{};
  double bytes = 0;
  bool threaded = false;  ///< the CPU side uses several
  std::function<Status()> on_cpu;
  std::function<Status(StreamRef)> queue;  ///< CUDA: queues the work, does not wait
};

/// Random bytes on the host and, where there is CUDA, on the device. What operators read and write.
template <typename T>
class Samples {
 public:
  static Result<std::shared_ptr<Samples>> create(const Context* cuda, std::size_t count,
                                                 std::uint64_t seed) {
    auto samples = std::make_shared<Samples>();
    samples->host.resize(count);
    Random random{seed};
    auto* bytes = reinterpret_cast<std::uint8_t*>(samples->host.data());
    if constexpr (std::is_floating_point_v<T>) {
      for (T& value : samples->host) value = static_cast<T>(random.unit());
    } else {
      for (std::size_t i = 0; i < count * sizeof(T); ++i)
        bytes[i] = static_cast<std::uint8_t>(random.next() >> 56);
    }
    if (cuda == nullptr) return samples;
    Result<DeviceBuffer<T>> buffer = DeviceBuffer<T>::create(*cuda, count);
    if (!buffer) return buffer.error();
    samples->buffer = std::move(*buffer);
    if (Status ok =
            copy_to_device<T>(cuda->stream(), samples->device(), samples->host.data(), count);
        !ok)
      return ok.error();
    if (Status ok = wait(cuda->stream()); !ok) return ok.error();
    return samples;
  }
  [[nodiscard]] T* device() const { return buffer.device_data(); }

  std::vector<T> host;
  DeviceBuffer<T> buffer;
};

/// The lists of tasks, one function an operator. The first error stays.
class Tasks {
 public:
  Tasks(const Context* cuda, Workers& workers, bool small)
      : cuda_{cuda}, workers_{workers}, small_{small} {
    frame_ = small ? Size{64, 48} : Size{1280, 720};
  }

  Result<std::vector<Task>> all() {
    struct Format {
      PixelFormat format;
      int mosaic;
    };
    for (const Format f :
         {Format{PixelFormat::grey8, 0}, Format{PixelFormat::grey12, 0},
          Format{PixelFormat::yuyv, 0}, Format{PixelFormat::nv12, 0}, Format{PixelFormat::rgb24, 0},
          Format{PixelFormat::bayer8, 0}, Format{PixelFormat::bayer10, 0},
          Format{PixelFormat::grey8, 4}, Format{PixelFormat::grey10, 3}})
      add_grey(f.format, f.mosaic);
    for (const Format f : {Format{PixelFormat::grey8, 4}, Format{PixelFormat::grey10, 3}})
      add_mosaic(f.format, f.mosaic);
    for (const double step : {1.05, 1.2}) add_pyramid(step);
    if (!status_) return status_.error();
    return std::move(tasks_);
  }

 private:
  template <typename T>
  std::shared_ptr<Samples<T>> samples(std::size_t count) {
    Result<std::shared_ptr<Samples<T>>> made = Samples<T>::create(cuda_, count, ++seed_);
    if (made) return *made;
    if (status_) status_ = made.error();
    return nullptr;
  }
  static std::size_t area(Size size) {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }

  struct Raw {
    std::shared_ptr<Samples<std::uint8_t>> bytes;
    RawImageView<Space::host> host;
    RawImageView<Space::device> device;
  };
  Raw raw(PixelFormat format, int mosaic) {
    const int stride = min_row_bytes(format, frame_.width);
    const std::size_t luma = area({stride, frame_.height});
    const bool is_nv12 = format == PixelFormat::nv12;
    Raw raw{samples<std::uint8_t>(is_nv12 ? luma * 3 / 2 : luma), {}, {}};
    if (raw.bytes == nullptr) return raw;
    const auto set = [&](auto& view, const std::uint8_t* data) {
      view.data = data;
      view.width = frame_.width;
      view.height = frame_.height;
      view.row_stride = stride;
      view.format = format;
      view.mosaic = mosaic;
      if (is_nv12 && data != nullptr) {
        view.chroma = data + luma;
        view.chroma_stride = stride;
      }
    };
    set(raw.host, raw.bytes->host.data());
    set(raw.device, raw.bytes->device());
    return raw;
  }
  static std::string describe_format(PixelFormat format, int mosaic) {
    std::string text = name_of(format);
    if (mosaic != 0) text += ", mosaic " + std::to_string(mosaic);
    return text;
  }

  void add_grey(PixelFormat format, int mosaic) {
    const Raw in = raw(format, mosaic);
    const auto out = samples<std::uint8_t>(area(frame_));
    if (in.bytes == nullptr || out == nullptr) return;
    const int w = frame_.width, h = frame_.height;
    const bool has_chroma = format == PixelFormat::nv12;  // which grey does not read
    const std::size_t read = has_chroma ? area(frame_) : in.bytes->host.size();
    tasks_.push_back({"to_grey", describe_format(format, mosaic), frame_,
                      static_cast<double>(read + area(frame_)), false,
                      [=] {
                        return cpu::to_grey(in.host, {out->host.data(), w, h, w});
                      },
                      [=](StreamRef stream) {
                        return to_grey(stream, in.device, {out->device(), w, h, w});
                      }});
  }

  void add_mosaic(PixelFormat format, int mosaic) {
    const Raw in = raw(format, mosaic);
    const int n = mosaic, w = frame_.width / n, h = frame_.height / n;
    const std::size_t count = area({w, h}) * static_cast<std::size_t>(n * n);
    const auto out = samples<std::uint16_t>(count);
    if (in.bytes == nullptr || out == nullptr) return;
    const auto plane = static_cast<std::ptrdiff_t>(area({w, h}));
    tasks_.push_back(
        {"split_mosaic", describe_format(format, mosaic), frame_,
         static_cast<double>(in.bytes->host.size() + 2 * count), false,
         [=] {
           return cpu::split_mosaic(in.host, {out->host.data(), n * n, w, h, w, plane});
         },
         [=](StreamRef stream) {
           return split_mosaic(stream, in.device, {out->device(), n * n, w, h, w, plane});
         }});
  }

  void add_pyramid(double step) {
    std::vector<LevelArea> areas;
    for (double scale = 1; scaled_side(frame_.height, scale) >= 32; scale *= step)
      areas.push_back(
          {scale, 0, 0, scaled_side(frame_.width, scale), scaled_side(frame_.height, scale)});
    Result<PyramidPlan> made = plan_pyramid(frame_.width, frame_.height, areas);
    if (!made) {
      status_ = made.error();
      return;
    }
    const auto plan = std::make_shared<PyramidPlan>(std::move(*made));
    const auto in = samples<std::uint8_t>(area(frame_)), out = samples<std::uint8_t>(plan->samples);
    if (in == nullptr || out == nullptr) return;
    std::shared_ptr<PyramidTables> tables;
    if (cuda_ != nullptr) {
      Result<PyramidTables> on_device = PyramidTables::create(*cuda_, *plan);
      if (!on_device) {
        status_ = on_device.error();
        return;
      }
      tables = std::make_shared<PyramidTables>(std::move(*on_device));
    }
    const int w = frame_.width, h = frame_.height;
    Workers* const workers = &workers_;
    tasks_.push_back(
        {"pyramid", std::to_string(areas.size()) + " levels, " + (step > 1.1 ? "1.2" : "1.05"),
         frame_, static_cast<double>(area(frame_) + plan->samples), true,
         [=] {
           return cpu::pyramid(*workers, *plan, {in->host.data(), w, h, w}, out->host.data());
         },
         [=](StreamRef stream) {
           return pyramid(stream, *tables, {in->device(), w, h, w}, out->device());
         }});
  }

  const Context* cuda_;
  Workers& workers_;
  bool small_;
  Size frame_;
  std::uint64_t seed_ = 0;
  Status status_ = Done{};
  std::vector<Task> tasks_;
};

}  // namespace

Result<std::vector<ImageRow>> bench_image(const Clock& clock, const ImageBench& bench) {
  Workers workers{bench.threads};
  std::optional<Context> cuda;
  if (bench.cuda) {
    Result<Context> made = Context::create(BackendChoice::cuda);
    if (!made) return made.error();
    cuda.emplace(std::move(*made));
  }
  const Result<std::vector<Task>> tasks =
      Tasks{cuda ? &*cuda : nullptr, workers, bench.small}.all();
  if (!tasks) return tasks.error();

  std::vector<ImageRow> rows;
  for (std::size_t i = 0; i < tasks->size(); ++i) {
    const Task& task = (*tasks)[i];
    std::vector<Contestant> contestants;
    if (bench.cpu && task.on_cpu) contestants.push_back({task.name, "cpu", task.on_cpu});
    if (cuda && task.queue)
      contestants.push_back({task.name, "cuda", [&] {
                               for (int n = 0; n < kBatch; ++n)
                                 if (Status ok = task.queue(cuda->stream()); !ok) return ok;
                               return wait(cuda->stream());
                             }});
    const Result<std::vector<Times>> times = contest(clock, contestants, bench.repeats);
    if (!times) return times.error();
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      const bool is_cuda = contestants[k].backend == "cuda";
      Times one = (*times)[k];
      if (is_cuda) one = {one.median_ms / kBatch, one.best_ms / kBatch, one.worst_ms / kBatch};
      rows.push_back({task.name, task.detail, task.size.width, task.size.height,
                      contestants[k].backend, is_cuda ? 0 : (task.threaded ? workers.count() : 1),
                      one, task.bytes});
    }
    if (bench.on_progress)
      bench.on_progress(task.name, static_cast<int>(i) + 1, static_cast<int>(tasks->size()));
  }
  return rows;
}

}  // namespace kerb::bench
