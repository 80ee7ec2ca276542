// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/image_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "gpu/image/gradients.hpp"
#include "gpu/image/integral.hpp"
#include "gpu/image/preparer.hpp"
#include "gpu/image/pyramid.hpp"
#include "gpu/image/remap.hpp"
#include "gpu/image/resize.hpp"
#include "gpu/image/scan.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/image/to_rgb.hpp"
#include "gpu/image/transpose.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/bench/random.hpp"

namespace kerb::bench {
namespace {

constexpr int kBatch = 32;

struct Size {
  int width = 0, height = 0;
};
std::size_t area(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// One operator on one kind of input.
struct Task {
  std::string name, detail;
  Size size;
  double bytes = 0;
  bool threaded = false;  ///< the CPU side uses several
  std::function<Status()> on_cpu;
  /// CUDA: queues the work, does not wait. `i` counts the calls of a row, 0 .. kBatch - 1.
  std::function<Status(StreamRef, int i)> queue;
};

/// Random samples on the host and, where there is CUDA, on the device: what operators read and
/// write. On the device there may be several copies, so that the calls of a row do not find theirs
/// in the cache.
template <typename T>
struct Samples {
  std::vector<T> host;
  DeviceBuffer<T> buffer;
  int copies = 1;

  static Result<std::shared_ptr<Samples>> create(const Context* cuda, std::size_t count,
                                                 int copies) {
    auto made = std::make_shared<Samples>();
    made->host.resize(count);
    Random random{count};
    for (T& sample : made->host) {
      if constexpr (std::is_same_v<T, Float4>) {
        sample = {random.unit(), random.unit(), random.unit(), random.unit()};
      } else if constexpr (std::is_floating_point_v<T>) {
        sample = static_cast<T>(random.unit());
      } else {
        sample = static_cast<T>(random.next() >> 32);
      }
    }
    if (cuda == nullptr) return made;
    Result<DeviceBuffer<T>> buffer =
        DeviceBuffer<T>::create(*cuda, count * static_cast<std::size_t>(copies));
    if (!buffer) return buffer.error();
    made->buffer = std::move(*buffer);
    made->copies = copies;
    const T* const from = made->host.data();
    for (int i = 0; i < copies; ++i)
      if (Status ok = copy_to_device(cuda->stream(), made->device_data(i), from, count); !ok)
        return ok.error();
    if (Status ok = wait(cuda->stream()); !ok) return ok.error();
    return made;
  }

  /// Of the i-th call.
  [[nodiscard]] T* device_data(int i) const {
    T* const first = buffer.device_data();
    return first == nullptr ? nullptr : first + static_cast<std::size_t>(i % copies) * host.size();
  }

  // A picture, or planes, over all of it.
  [[nodiscard]] ImageView<Space::host, T> on_host(Size s) {
    return {host.data(), s.width, s.height, s.width};
  }
  [[nodiscard]] ImageView<Space::device, T> on_device(Size s, int i = 0) const {
    return {device_data(i), s.width, s.height, s.width};
  }
  [[nodiscard]] PlanesView<Space::host, T> planes_on_host(int count, Size s) {
    return {host.data(), count, s.width, s.height, s.width, static_cast<std::ptrdiff_t>(area(s))};
  }
  [[nodiscard]] PlanesView<Space::device, T> planes_on_device(int count, Size s, int i = 0) const {
    return {device_data(i), count,   s.width,
            s.height,       s.width, static_cast<std::ptrdiff_t>(area(s))};
  }
};
template <Space S, typename T>
ImageView<S, const T> read_only(const ImageView<S, T>& view) {
  return view;
}
template <Space S, typename T>
PlanesView<S, const T> read_only(const PlanesView<S, T>& view) {
  return view;
}

/// Makes one task after the other, and times it at once: all their pictures together would be
/// gigabytes. The first error stays, and nothing is done after it.
class ImageRunner {
 public:
  ImageRunner(const Clock& clock, const ImageBench& bench, const Context& context)
      : clock_{clock},
        bench_{bench},
        context_{context},
        cuda_{context.backend() == Backend::cuda ? &context : nullptr},
        workers_{bench.threads},
        frame_{bench.small ? Size{64, 48} : Size{1280, 720}} {}

  Result<std::vector<ImageRow>> run() {
    counting_ = true;
    all_tasks();
    tasks_ = std::exchange(done_, 0);
    counting_ = false;
    all_tasks();
    if (!status_) return status_.error();
    return std::move(rows_);
  }

 private:
  void all_tasks() {
    copying();
    for (const PixelFormat format :
         {PixelFormat::grey8, PixelFormat::grey12, PixelFormat::yuyv, PixelFormat::nv12,
          PixelFormat::rgb24, PixelFormat::bayer8, PixelFormat::bayer10})
      grey(format, 0);
    grey(PixelFormat::grey8, 4);
    grey(PixelFormat::grey10, 3);
    grey(PixelFormat::grey10, 4);
    mosaic(PixelFormat::grey8, 4);
    mosaic(PixelFormat::grey10, 3);
    mosaic(PixelFormat::grey10, 4);
    for (const PixelFormat format : {PixelFormat::grey8, PixelFormat::yuyv, PixelFormat::nv12,
                                     PixelFormat::rgb24, PixelFormat::bayer10})
      preparing(format, 0);
    preparing(PixelFormat::grey10, 4);
    preparing(PixelFormat::grey14, 0, true);
    for (const PixelFormat format :
         {PixelFormat::yuyv, PixelFormat::nv12, PixelFormat::rgb24, PixelFormat::bayer8})
      rgb(format);
    luv();
    resizing(ResizeMethod::bilinear, "bilinear");
    resizing(ResizeMethod::area, "area");
    pyramids(1.05, "1.05");
    pyramids(1.2, "1.2");
    remapping(1);
    remapping(3);
    gradient(1);
    gradient(3);
    scan<std::uint32_t>("uint32");
    scan<float>("float");
    transposition<std::uint8_t>("1 byte");
    transposition<float>("4 bytes");
    transposition<Float4>("16 bytes");
    std::vector<int> sides{256, 512, 1024, 2048};
    if (cuda_ != nullptr) sides.push_back(4096);
    if (bench_.small) sides = {48};
    for (const int side : sides) {
      integrals<std::uint8_t, std::uint32_t>("uint8 to uint32", side);
      integrals<std::uint32_t, std::uint32_t>("uint32", side);
      integrals<float, float>("float", side);
      integrals<Float4, Float4>("float4", side);
      integrals<double, double>("double", side);
    }
  }

  /// False while tasks are only counted, and after an error.
  bool begin() {
    if (counting_) ++done_;
    return !counting_ && status_;
  }
  template <typename T>
  std::shared_ptr<Samples<T>> samples(std::size_t count, int copies = 1) {
    Result<std::shared_ptr<Samples<T>>> made = Samples<T>::create(cuda_, count, copies);
    if (made) return *made;
    status_ = made.error();
    return std::make_shared<Samples<T>>();
  }

  void time(const Task& task) {
    if (!status_) return;
    std::vector<Contestant> contestants;
    if (bench_.cpu) contestants.push_back({task.name, "cpu", task.on_cpu});
    if (cuda_ != nullptr)
      contestants.push_back({task.name, "cuda", [&] {
                               for (int i = 0; i < kBatch; ++i)
                                 if (Status ok = task.queue(cuda_->stream(), i); !ok) return ok;
                               return wait(cuda_->stream());
                             }});
    const Result<std::vector<Times>> times = contest(clock_, contestants, bench_.repeats);
    if (!times) {
      status_ = times.error();
      return;
    }
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const bool is_cuda = contestants[i].backend == "cuda";
      const double calls = is_cuda ? kBatch : 1;
      const Times& all = (*times)[i];
      rows_.push_back({task.name,
                       task.detail,
                       task.size.width,
                       task.size.height,
                       contestants[i].backend,
                       is_cuda         ? 0
                       : task.threaded ? workers_.count()
                                       : 1,
                       {all.median_ms / calls, all.best_ms / calls, all.worst_ms / calls},
                       task.bytes});
    }
    ++done_;
    if (bench_.on_progress) bench_.on_progress(task.name, done_, tasks_);
  }

  /// What the machine's memory allows, by the simplest operator on more than any cache holds: grey
  /// to grey is a copy.
  void copying() {
    if (!begin()) return;
    const Size size = bench_.small ? frame_ : Size{16384, 8192};
    const auto in = samples<std::uint8_t>(area(size)), out = samples<std::uint8_t>(area(size));
    const auto set = [size](auto& view, const std::uint8_t* data) {
      view.data = data;
      view.width = size.width;
      view.height = size.height;
      view.row_stride = size.width;
      view.format = PixelFormat::grey8;
    };
    RawImageView<Space::host> host;
    set(host, in->host.data());
    RawImageView<Space::device> device;
    set(device, in->buffer.device_data());
    time({"copy", bench_.small ? "to_grey of grey8" : "to_grey of grey8, 128 MiB", size,
          2.0 * static_cast<double>(area(size)), false,
          [&] { return cpu::to_grey(host, out->on_host(size)); },
          [&](StreamRef stream, int) { return to_grey(stream, device, out->on_device(size)); }});
  }

  // --- camera pictures

  struct Raw {
    std::shared_ptr<Samples<std::uint8_t>> bytes;
    RawImageView<Space::host> host;
    std::array<RawImageView<Space::device>, kBatch> device;  // of each call of a row
  };
  Raw raw(PixelFormat format, int mosaic) {
    const int stride = min_row_bytes(format, frame_.width);
    const std::size_t luma = area({stride, frame_.height});
    const bool is_nv12 = format == PixelFormat::nv12;
    Raw raw{samples<std::uint8_t>(is_nv12 ? luma * 3 / 2 : luma, kBatch), {}, {}};
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
    for (int i = 0; i < kBatch; ++i)
      set(raw.device[static_cast<std::size_t>(i)], raw.bytes->device_data(i));
    return raw;
  }
  static std::string describe_format(PixelFormat format, int mosaic) {
    std::string text = name_of(format);
    if (mosaic != 0) text += ", mosaic " + std::to_string(mosaic);
    return text;
  }

  void grey(PixelFormat format, int mosaic) {
    if (!begin()) return;
    const Raw in = raw(format, mosaic);
    const auto out = samples<std::uint8_t>(area(frame_), kBatch);
    const bool has_chroma = format == PixelFormat::nv12;  // which grey does not read
    const std::size_t read = has_chroma ? area(frame_) : in.bytes->host.size();
    time({"to_grey", describe_format(format, mosaic), frame_,
          static_cast<double>(read + area(frame_)), false,
          [&] { return cpu::to_grey(in.host, out->on_host(frame_)); },
          [&](StreamRef stream, int i) {
            return to_grey(stream, in.device[static_cast<std::size_t>(i)],
                           out->on_device(frame_, i));
          }});
  }

  void mosaic(PixelFormat format, int n) {
    if (!begin()) return;
    const Raw in = raw(format, n);
    const Size band{frame_.width / n, frame_.height / n};
    const auto out = samples<std::uint16_t>(area(band) * static_cast<std::size_t>(n * n), kBatch);
    time({"split_mosaic", describe_format(format, n), frame_,
          static_cast<double>(in.bytes->host.size() + 2 * out->host.size()), false,
          [&] { return cpu::split_mosaic(in.host, out->planes_on_host(n * n, band)); },
          [&](StreamRef stream, int i) {
            return split_mosaic(stream, in.device[static_cast<std::size_t>(i)],
                                out->planes_on_device(n * n, band, i));
          }});
  }

  /// What the pipeline sees: a frame in camera memory to a result the host can read, each waited
  /// for. Both backends make of it what they can: detail says whether a GPU read it in place.
  /// `range`: of a thermal camera, whose counts are all over their range here: the slowest case.
  void preparing(PixelFormat format, int mosaic, bool range = false) {
    if (!begin()) return;
    const Raw in = raw(format, mosaic);
    FrameSourceInfo source;
    source.format = format;
    source.mosaic = mosaic;
    source.width = frame_.width;
    source.height = frame_.height;
    const CountRangeSettings settings;
    const Result<Context> plain = Context::create(BackendChoice::cpu);
    for (const Context* context : {plain && bench_.cpu ? &*plain : nullptr, cuda_}) {
      if (context == nullptr || !status_) continue;
      GpuFrameMemory frames{*context};
      const Result<MemoryBlock> block = frames.allocate(in.bytes->host.size());
      Result<std::unique_ptr<Preparer>> preparer =
          Preparer::create(*context, &frames, source, false, range ? &settings : nullptr);
      if (!block || !preparer) {
        status_ = block ? preparer.error() : block.error();
        return;
      }
      std::copy(in.bytes->host.begin(), in.bytes->host.end(), block->data());
      RawImageView<Space::host> view = in.host;
      view.data = block->data();
      if (view.chroma != nullptr) view.chroma = view.data + (in.host.chroma - in.host.data);
      const Result<std::vector<Times>> times = contest(clock_,
                                                       {{"prepare", name_of(context->backend()),
                                                         [&]() -> Status {
                                                           const auto prepared =
                                                               (*preparer)->prepare(view);
                                                           if (!prepared) return prepared.error();
                                                           return Done{};
                                                         }}},
                                                       bench_.repeats);
      if (!times) {
        status_ = times.error();
        return;
      }
      const bool is_cuda = context->backend() == Backend::cuda;
      rows_.push_back({"prepare",
                       describe_format(format, mosaic) + (range ? ", range" : "") +
                           ((*preparer)->was_zero_copy() && is_cuda ? ", in place" : ""),
                       frame_.width, frame_.height, name_of(context->backend()), is_cuda ? 0 : 1,
                       times->front(), static_cast<double>(in.bytes->host.size() + area(frame_))});
    }
    ++done_;
    if (bench_.on_progress) bench_.on_progress("prepare", done_, tasks_);
  }

  void rgb(PixelFormat format) {
    if (!begin()) return;
    const Raw in = raw(format, 0);
    const auto out = samples<std::uint8_t>(3 * area(frame_), kBatch);
    time({"to_rgb", describe_format(format, 0), frame_,
          static_cast<double>(in.bytes->host.size() + out->host.size()), false,
          [&] { return cpu::to_rgb(in.host, out->planes_on_host(3, frame_)); },
          [&](StreamRef stream, int i) {
            return to_rgb(stream, in.device[static_cast<std::size_t>(i)],
                          out->planes_on_device(3, frame_, i));
          }});
  }

  void luv() {
    if (!begin()) return;
    const auto in = samples<std::uint8_t>(3 * area(frame_));
    const auto out = samples<std::uint8_t>(3 * area(frame_));
    time({"to_luv", "3 planes", frame_, static_cast<double>(2 * in->host.size()), false,
          [&] {
            return cpu::to_luv(read_only(in->planes_on_host(3, frame_)),
                               out->planes_on_host(3, frame_));
          },
          [&](StreamRef stream, int) {
            return to_luv(stream, read_only(in->planes_on_device(3, frame_)),
                          out->planes_on_device(3, frame_));
          }});
  }

  // --- sizes

  void resizing(ResizeMethod method, const char* name) {
    if (!begin()) return;
    const Size half{frame_.width * 2 / 3, frame_.height * 2 / 3};
    Result<Resizer> resizer =
        Resizer::create(context_, {frame_.width, frame_.height}, {half.width, half.height}, method);
    if (!resizer) {
      status_ = resizer.error();
      return;
    }
    const auto in = samples<std::uint8_t>(area(frame_)), out = samples<std::uint8_t>(area(half));
    time({"resize", std::string{name} + " to 2/3", frame_,
          static_cast<double>(area(frame_) + area(half)), false,
          [&] { return resizer->run(read_only(in->on_host(frame_)), out->on_host(half)); },
          [&](StreamRef stream, int) {
            return resizer->run(stream, read_only(in->on_device(frame_)), out->on_device(half));
          }});
  }

  void pyramids(double step, const char* name) {
    if (!begin()) return;
    std::vector<LevelArea> areas;
    for (double scale = 1; scaled_side(frame_.height, scale) >= 32; scale *= step)
      areas.push_back(
          {scale, 0, 0, scaled_side(frame_.width, scale), scaled_side(frame_.height, scale)});
    const Result<PyramidPlan> plan = plan_pyramid(frame_.width, frame_.height, areas);
    if (!plan) {
      status_ = plan.error();
      return;
    }
    std::optional<PyramidTables> tables;
    if (cuda_ != nullptr) {
      Result<PyramidTables> made = PyramidTables::create(*cuda_, *plan);
      if (!made) {
        status_ = made.error();
        return;
      }
      tables.emplace(std::move(*made));
    }
    const auto in = samples<std::uint8_t>(area(frame_));
    const auto out = samples<std::uint8_t>(plan->samples);
    time({"pyramid", std::to_string(areas.size()) + " levels, " + name, frame_,
          static_cast<double>(area(frame_) + plan->samples), true,
          [&] {
            return cpu::pyramid(workers_, *plan, read_only(in->on_host(frame_)), out->host.data());
          },
          [&](StreamRef stream, int) {
            return pyramid(stream, *tables, read_only(in->on_device(frame_)),
                           out->buffer.device_data());
          }});
  }

  /// As an upright view is made: a cylinder of the picture's size, in a camera that looks 30
  /// degrees down and sees 120 across.
  [[nodiscard]] std::vector<Remapper::Place> looking_down() const {
    const double middle_x = 0.5 * frame_.width, middle_y = 0.5 * frame_.height;
    const double focal = middle_x / std::tan(1.047);
    const double down_sine = std::sin(0.524), down_cosine = std::cos(0.524);
    std::vector<Remapper::Place> from;
    from.reserve(area(frame_));
    for (int y = 0; y < frame_.height; ++y)
      for (int x = 0; x < frame_.width; ++x) {
        const double angle = (x - middle_x) / focal, below = (y - 0.5 * middle_y) / focal;
        const double right = std::sin(angle), ahead = std::cos(angle);
        const double depth = std::max(ahead * down_cosine + below * down_sine, 0.01);
        const double row = below * down_cosine - ahead * down_sine;
        from.push_back({static_cast<float>(middle_x + focal * right / depth),
                        static_cast<float>(middle_y + focal * row / depth)});
      }
    return from;
  }

  /// Pixels that the table reads, each counted once.
  [[nodiscard]] std::size_t pixels_read(const std::vector<Remapper::Place>& from) const {
    std::vector<bool> read(area(frame_));
    const auto at = [](float place, int side) {
      return static_cast<std::size_t>(
          std::clamp(std::floor(place), 0.0F, static_cast<float>(side - 2)));
    };
    const auto width = static_cast<std::size_t>(frame_.width);
    for (const Remapper::Place& place : from) {
      const std::size_t first = at(place.y, frame_.height) * width + at(place.x, frame_.width);
      read[first] = read[first + 1] = read[first + width] = read[first + width + 1] = true;
    }
    return static_cast<std::size_t>(std::count(read.begin(), read.end(), true));
  }

  void remapping(int planes) {
    if (!begin()) return;
    const std::vector<Remapper::Place> from = looking_down();
    Result<Remapper> remapper = Remapper::create(context_, {frame_.width, frame_.height},
                                                 {frame_.width, frame_.height}, from);
    if (!remapper) {
      status_ = remapper.error();
      return;
    }
    const std::size_t each = pixels_read(from) + area(frame_);
    const double bytes = static_cast<double>(static_cast<std::size_t>(planes) * each +
                                             sizeof(Remapper::Tap) * area(frame_));
    const auto in = samples<std::uint8_t>(static_cast<std::size_t>(planes) * area(frame_));
    const auto out = samples<std::uint8_t>(static_cast<std::size_t>(planes) * area(frame_));
    time({"remap", planes == 1 ? "upright view, grey" : "upright view, 3 planes", frame_, bytes,
          true,
          [&] {
            return remapper->run(workers_, read_only(in->planes_on_host(planes, frame_)),
                                 out->planes_on_host(planes, frame_));
          },
          [&](StreamRef stream, int) {
            return remapper->run(stream, read_only(in->planes_on_device(planes, frame_)),
                                 out->planes_on_device(planes, frame_));
          }});
  }

  // --- gradients and sums

  void gradient(int planes) {
    if (!begin()) return;
    const auto in = samples<std::uint8_t>(static_cast<std::size_t>(planes) * area(frame_));
    const auto out = samples<std::uint16_t>(area(frame_));
    const GradientParams params;
    const double bytes = static_cast<double>(in->host.size() + 2 * out->host.size());
    if (planes == 1) {
      time({"gradients", "grey, 9 bins", frame_, bytes, false,
            [&] {
              return cpu::gradients(read_only(in->on_host(frame_)), params, out->on_host(frame_));
            },
            [&](StreamRef stream, int) {
              return gradients(stream, read_only(in->on_device(frame_)), params,
                               out->on_device(frame_));
            }});
      return;
    }
    time({"gradients", "3 planes, 9 bins", frame_, bytes, false,
          [&] {
            return cpu::gradients(read_only(in->planes_on_host(3, frame_)), params,
                                  out->on_host(frame_));
          },
          [&](StreamRef stream, int) {
            return gradients(stream, read_only(in->planes_on_device(3, frame_)), params,
                             out->on_device(frame_));
          }});
  }

  template <typename T>
  void scan(const char* type) {
    if (!begin()) return;
    const auto in = samples<T>(area(frame_)), out = samples<T>(area(frame_));
    time({"scan_rows", type, frame_, 2.0 * sizeof(T) * static_cast<double>(area(frame_)), false,
          [&] {
            return cpu::scan_rows<T>(read_only(in->on_host(frame_)), ScanKind::inclusive,
                                     out->on_host(frame_));
          },
          [&](StreamRef stream, int) {
            return scan_rows<T>(stream, read_only(in->on_device(frame_)), ScanKind::inclusive,
                                out->on_device(frame_));
          }});
  }

  template <typename T>
  void transposition(const char* type) {
    if (!begin()) return;
    const auto in = samples<T>(area(frame_)), out = samples<T>(area(frame_));
    const Size turned{frame_.height, frame_.width};
    time({"transpose", type, frame_, 2.0 * sizeof(T) * static_cast<double>(area(frame_)), false,
          [&] { return cpu::transpose<T>(read_only(in->on_host(frame_)), out->on_host(turned)); },
          [&](StreamRef stream, int) {
            return transpose<T>(stream, read_only(in->on_device(frame_)), out->on_device(turned));
          }});
  }

  /// Our integral image and, where it exists for these types, the thesis's.
  template <typename In, typename T>
  void integrals(const char* type, int side) {
    constexpr bool kHasTree = std::is_same_v<In, T>;
    const bool go = begin();
    const bool go_tree = kHasTree && begin(), go_upright = kHasTree && begin();
    if (!go) return;
    const Size in_size{side, side}, out_size{side + 1, side + 1};
    const auto in = samples<In>(area(in_size));
    const auto out = samples<T>(area(out_size));
    const auto scratch = samples<T>(cuda_ == nullptr ? 1 : scratch_for(side));
    const double bytes =
        static_cast<double>(sizeof(In) * area(in_size) + sizeof(T) * area(out_size));
    time({"integral", type, in_size, bytes, false,
          [&] {
            return cpu::integral<In, T>(read_only(in->on_host(in_size)), out->on_host(out_size));
          },
          [&](StreamRef stream, int) {
            return integral<In, T>(stream, read_only(in->on_device(in_size)), scratch->buffer,
                                   out->on_device(out_size));
          }});
    if constexpr (kHasTree) {
      if (!go_tree || !go_upright) return;
      for (const TreeForm form : {TreeForm::transposed, TreeForm::upright})
        time({"tree_integral",
              std::string{type} + ", the thesis's way" +
                  (form == TreeForm::upright ? ", turned back" : ""),
              in_size, bytes, false,
              [&, form] {
                return cpu::tree_integral<T>(read_only(in->on_host(in_size)), form,
                                             out->on_host(in_size));
              },
              [&, form](StreamRef stream, int) {
                return tree_integral<T>(stream, read_only(in->on_device(in_size)), form,
                                        scratch->buffer, out->on_device(in_size));
              }});
    }
  }
  static std::size_t scratch_for(int side) {
    return std::max(
        {integral_scratch(side, side), tree_integral_scratch(side, side), std::size_t{1}});
  }

  const Clock& clock_;
  const ImageBench& bench_;
  const Context& context_;
  const Context* cuda_;
  Workers workers_;
  Size frame_;
  bool counting_ = false;
  int done_ = 0, tasks_ = 0;
  Status status_ = Done{};
  std::vector<ImageRow> rows_;
};

}  // namespace

Result<std::vector<ImageRow>> bench_image(const Clock& clock, const ImageBench& bench) {
  const Result<Context> context =
      Context::create(bench.cuda ? BackendChoice::cuda : BackendChoice::cpu);
  if (!context) return context.error();
  return ImageRunner{clock, bench, *context}.run();
}

}  // namespace kerb::bench
