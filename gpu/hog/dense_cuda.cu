// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "gpu/hog/dense_kernels.cuh"
#include "gpu/image/pyramid.hpp"
#include "gpu/memory/graph_cuda.hpp"
#include "gpu/memory/upload.hpp"

// Three launches for all levels: the pyramid, the blocks, the windows. Colour has a pyramid for
// each plane, the integral kind three more for its integral histograms, and where the blocks of all
// levels are too many for the memory, blocks and windows come in rounds. They and the copies are
// one graph, made with the engine.
namespace kerb::hog {
namespace {

using namespace dense_kernels;

/// Blocks in memory at one time: 256 MiB at most, or one sheet's.
constexpr std::size_t kRoundValues = std::size_t{64} << 20;
constexpr int kReadBack = 4096;  // hits that come back with the graph; more take another copy

template <typename T>
Status reserve(const Context& context, std::size_t count, DeviceBuffer<T>& to) {
  Result<DeviceBuffer<T>> buffer = DeviceBuffer<T>::create(context, count);
  if (!buffer) return buffer.error();
  to = std::move(*buffer);
  return Done{};
}
template <typename T>
Status reserve(const Context& context, Use use, std::size_t count, HostBuffer<T>& to) {
  Result<HostBuffer<T>> buffer = HostBuffer<T>::create(context, use, count);
  if (!buffer) return buffer.error();
  to = std::move(*buffer);
  return Done{};
}
template <typename T>
std::size_t bytes(const DeviceBuffer<T>& buffer) {
  return buffer.size() * sizeof(T);
}

class DenseCuda final : public Engine {
 public:
  DenseCuda(const Context& context, Model model, SearchPlan search, std::size_t round_values)
      : context_{context}, model_{std::move(model)}, search_{std::move(search)} {
    plan_ = plan_dense(dense_model(), search_, round_values);
  }

  Status allocate() {
    if (search_.window_count == 0) return Done{};
    Result<Stream> own = Stream::create();
    if (!own) return own.error();
    stream_.emplace(std::move(*own));
    const DenseModel& m = dense_model();
    planes_ = m.kind == DenseKind::rhog ? 3 : 1;
    Result<PyramidTables> pyramid = PyramidTables::create(context_, search_.pyramid);
    if (!pyramid) return pyramid.error();
    pyramid_.emplace(std::move(*pyramid));

    std::vector<float> samples(256);
    float table[256];
    fill_samples(m.gamma, table);
    std::copy_n(table, 256, samples.begin());
    shares_ = shares_of(m.sigma);
    const std::size_t pixels = static_cast<std::size_t>(search_.pyramid.width) *
                               static_cast<std::size_t>(search_.pyramid.height) *
                               static_cast<std::size_t>(planes_);
    const auto windows = static_cast<std::size_t>(search_.window_count);
    if (Status ok = make_work(); !ok) return ok;
    if (Status ok = upload(context_, samples, samples_); !ok) return ok;
    if (Status ok = upload(context_, ordered_weights(m), weights_); !ok) return ok;
    if (Status ok = reserve(context_, pixels, input_); !ok) return ok;
    if (Status ok =
            reserve(context_, search_.pyramid.samples * static_cast<std::size_t>(planes_), levels_);
        !ok)
      return ok;
    if (Status ok = reserve(context_, plan_.values, blocks_); !ok) return ok;
    if (Status ok = reserve(context_, windows + 1, found_); !ok) return ok;
    if (Status ok = reserve(context_, 1, device_threshold_); !ok) return ok;
    if (Status ok = reserve(context_, Use::camera_input, pixels, staging_); !ok) return ok;
    if (Status ok = reserve(context_, Use::camera_input, 1, threshold_); !ok) return ok;
    if (Status ok = reserve(context_, Use::result, windows + 1, results_); !ok) return ok;
    hits_.resize(windows);
    for (int colour = 0; colour < (planes_ == 3 ? 2 : 1); ++colour)
      for (int host = 0; host < 2; ++host) {
        const auto work = [this, colour, host](StreamRef on) {
          return queue(on, colour == 1 ? 3 : 1, host == 1);
        };
        Result<Graph> graph = Graph::record(stream(), work);
        if (!graph) return graph.error();
        graphs_[colour][host] = std::move(*graph);
      }
    return Done{};
  }

  Result<Hits> search(const Picture<Space::host>& picture, float threshold) override {
    if (Status ok = check(picture); !ok) return ok.error();
    if (search_.window_count == 0) return Hits{};
    const int planes = planes_of(picture);
    const auto width = static_cast<std::size_t>(search_.pyramid.width);
    for (int plane = 0; plane < planes; ++plane) {
      const auto from = planes == 3 ? picture.rgb.plane(plane) : picture.grey;
      Byte* to = staging_.data() + plane_pixels() * static_cast<std::size_t>(plane);
      for (int y = 0; y < from.height; ++y, to += width)
        std::memcpy(to, from.data + y * from.row_stride, width);
    }
    return run(graphs_[planes == 3 ? 1 : 0][1], threshold);
  }

  Result<Hits> search(const Picture<Space::device>& picture, float threshold) override {
    if (Status ok = check(picture); !ok) return ok.error();
    if (search_.window_count == 0) return Hits{};
    const int planes = planes_of(picture);
    const auto width = static_cast<std::size_t>(search_.pyramid.width);
    for (int plane = 0; plane < planes; ++plane) {
      const auto from = planes == 3 ? picture.rgb.plane(plane) : picture.grey;
      if (Status ok = cuda_status(
              cudaMemcpy2DAsync(
                  input_.device_data() + plane_pixels() * static_cast<unsigned>(plane), width,
                  from.data, static_cast<std::size_t>(from.row_stride), width,
                  static_cast<std::size_t>(from.height), cudaMemcpyDefault, stream().get()),
              "copy picture");
          !ok)
        return ok.error();
    }
    return run(graphs_[planes == 3 ? 1 : 0][0], threshold);
  }

  [[nodiscard]] const SearchPlan& plan() const noexcept override { return search_; }
  [[nodiscard]] const Model& model() const noexcept override { return model_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override {
    std::size_t sum = pyramid_ ? pyramid_->device_bytes() : 0;
    for (const Round& round : rounds_) sum += bytes(round.block_tiles) + bytes(round.window_tiles);
    return sum + bytes(samples_) + bytes(weights_) + bytes(input_) + bytes(levels_) +
           bytes(blocks_) + bytes(found_) + bytes(device_threshold_) + bytes(sheets_) +
           bytes(integrals_) + bytes(sums_) + bytes(histogram_corners_) + bytes(line_corners_) +
           bytes(column_corners_);
  }

  Result<Work> count_work(const Picture<Space::host>& picture) override {
    if (Status ok = check(picture); !ok) return ok.error();
    return work_of(dense_model(), search_);
  }

 private:
  struct Round {
    DeviceBuffer<Tile> block_tiles, window_tiles;
  };

  /// There is one where there are windows.
  [[nodiscard]] StreamRef stream() const noexcept { return *stream_; }
  [[nodiscard]] const DenseModel& dense_model() const {
    return *std::get_if<DenseModel>(&model_.kind);
  }
  [[nodiscard]] std::size_t plane_pixels() const {
    return static_cast<std::size_t>(search_.pyramid.width) *
           static_cast<std::size_t>(search_.pyramid.height);
  }
  template <Space S>
  Status check(const Picture<S>& picture) const {
    return check_picture(picture, search_.pyramid.width, search_.pyramid.height, dense_model());
  }
  template <Space S>
  [[nodiscard]] int planes_of(const Picture<S>& picture) const {
    return planes_ == 3 && picture.rgb.count == 3 ? 3 : 1;
  }

  /// Sheets and tiles, where kernels read them.
  Status make_work() {
    const bool integral = dense_model().kind == DenseKind::integral;
    std::vector<DeviceSheet> sheets;
    for (const Sheet& s : plan_.sheets) {
      const Level& level = search_.pyramid.levels[static_cast<std::size_t>(s.level)];
      const LevelWindows& windows = search_.windows[static_cast<std::size_t>(s.level)];
      sheets.push_back({pixel_of(level, s.x, s.y), s.offset, level.row_stride, s.columns, s.rows,
                        s.first_bx, s.first_by, s.step, s.window_columns, s.window_rows,
                        s.first_window, s.window_step, s.window_pitch, s.level,
                        (s.x - windows.first_x) / plan_.grid,
                        (s.y - windows.first_y) / plan_.grid});
    }
    if (Status ok = upload(context_, sheets, sheets_); !ok) return ok;
    const int tile_columns = integral ? kQuads : kTileColumns;
    rounds_.resize(plan_.rounds.size());
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      std::vector<Tile> blocks, windows;
      const int first = plan_.rounds[i].first_sheet;
      for (int s = first; s < first + plan_.rounds[i].sheets; ++s) {
        const Sheet& sheet = plan_.sheets[static_cast<std::size_t>(s)];
        for (int y = 0; y < sheet.rows; y += kTileRows)
          for (int x = 0; x < sheet.columns; x += tile_columns) blocks.push_back({s, x, y});
        for (int y = 0; y < sheet.window_rows; y += kWindowRows)
          for (int x = 0; x < sheet.window_columns; x += 32) windows.push_back({s, x, y});
      }
      if (Status ok = upload(context_, blocks, rounds_[i].block_tiles); !ok) return ok;
      if (Status ok = upload(context_, windows, rounds_[i].window_tiles); !ok) return ok;
    }
    return integral ? make_integrals() : Status{Done{}};
  }

  Status make_integrals() {
    std::vector<DeviceIntegral> integrals;
    std::vector<Corner> histograms, lines, columns;
    std::size_t sums = 0;
    const int grid = plan_.grid;
    for (std::size_t i = 0; i < search_.windows.size(); ++i) {
      const Level& level = search_.pyramid.levels[i];
      const LevelWindows& windows = search_.windows[i];
      DeviceIntegral in{};
      in.pixel = pixel_of(level, windows.first_x, windows.first_y);
      in.sum = sums;
      in.row_stride = level.row_stride;
      in.tiles = (level.width - windows.first_x) / grid;
      in.lines = (level.height - windows.first_y) / grid;
      sums += (static_cast<std::size_t>(in.tiles) + 1) * (static_cast<std::size_t>(in.lines) + 1) *
              kBins;
      integrals.push_back(in);
      const int index = static_cast<int>(i);
      for (int y = 0; y <= in.lines; y += kHistogramY)
        for (int x = 0; x <= in.tiles; x += kHistogramX) histograms.push_back({index, x, y});
      for (int y = 0; y <= in.lines; ++y) lines.push_back({index, 0, y});
      for (int x = 0; x <= in.tiles; x += 32) columns.push_back({index, x, 0});
    }
    if (Status ok = upload(context_, integrals, integrals_); !ok) return ok;
    if (Status ok = upload(context_, histograms, histogram_corners_); !ok) return ok;
    if (Status ok = upload(context_, lines, line_corners_); !ok) return ok;
    if (Status ok = upload(context_, columns, column_corners_); !ok) return ok;
    return reserve(context_, sums, sums_);
  }

  static std::size_t pixel_of(const Level& level, int x, int y) {
    return level.offset +
           static_cast<std::size_t>(y + 1) * static_cast<unsigned>(level.row_stride) +
           static_cast<unsigned>(x + 1);
  }
  static unsigned count_of(std::size_t n) { return static_cast<unsigned>(n); }

  /// The whole search, onto a stream that records it.
  Status queue(StreamRef on, int planes, bool from_host) {
    cudaStream_t const s = on.get();
    const int width = search_.pyramid.width, height = search_.pyramid.height;
    if (Status ok = copy_to_device(on, device_threshold_.device_data(), threshold_.data(), 1); !ok)
      return ok;
    if (Status ok =
            cuda_status(cudaMemsetAsync(found_.device_data(), 0, sizeof(Hit), s), "clear hits");
        !ok)
      return ok;
    if (from_host) {
      if (Status ok = copy_to_device(on, input_.device_data(), staging_.data(),
                                     plane_pixels() * static_cast<unsigned>(planes));
          !ok)
        return ok;
    }
    for (int plane = 0; plane < planes; ++plane) {
      const auto p = static_cast<std::size_t>(plane);
      if (Status ok = pyramid(on, *pyramid_,
                              {input_.device_data() + plane_pixels() * p, width, height, width},
                              levels_.device_data() + search_.pyramid.samples * p);
          !ok)
        return ok;
    }
    if (dense_model().kind == DenseKind::integral) {
      if (Status ok = queue_integrals(s); !ok) return ok;
    }
    for (const Round& round : rounds_) {
      if (Status ok = queue_blocks(s, round, planes); !ok) return ok;
      if (Status ok = queue_windows(s, round); !ok) return ok;
    }
    return copy_to_host(on, results_.data(), found_.device_data(),
                        static_cast<std::size_t>(std::min(kReadBack, search_.window_count)) + 1);
  }

  Status queue_integrals(cudaStream_t s) {
    tile_histogram_kernel<<<count_of(histogram_corners_.size()), dim3{kHistogramX, kHistogramY}, 0,
                            s>>>(integrals_.device_data(), histogram_corners_.device_data(),
                                 levels_.device_data(), plan_.grid, sums_.device_data());
    sum_lines_kernel<<<count_of(line_corners_.size()), dim3{32, kBins}, 0, s>>>(
        integrals_.device_data(), line_corners_.device_data(), sums_.device_data());
    sum_columns_kernel<<<count_of(column_corners_.size()), dim3{32, kBins}, 0, s>>>(
        integrals_.device_data(), column_corners_.device_data(), sums_.device_data());
    return cuda_status(cudaGetLastError(), "launch integrals");
  }

  Status queue_blocks(cudaStream_t s, const Round& round, int planes) {
    const DenseModel& m = dense_model();
    const unsigned tiles = count_of(round.block_tiles.size());
    const DeviceSheet* const sheets = sheets_.device_data();
    const Tile* const work = round.block_tiles.device_data();
    if (m.kind == DenseKind::integral)
      integral_kernel<<<tiles, kQuads * 4, 0, s>>>(sheets, work, integrals_.device_data(),
                                                   sums_.device_data(), kCell / plan_.grid, m.clip,
                                                   blocks_.device_data());
    else if (m.kind == DenseKind::cells)
      cells_kernel<<<tiles, kThreads, 0, s>>>(sheets, work, levels_.device_data(), m.clip,
                                              blocks_.device_data());
    else if (planes == 3)
      rhog_kernel<true><<<tiles, kThreads, 0, s>>>(sheets, work, levels_.device_data(),
                                                   search_.pyramid.samples, samples_.device_data(),
                                                   shares_, m.clip, blocks_.device_data());
    else
      rhog_kernel<false><<<tiles, kThreads, 0, s>>>(sheets, work, levels_.device_data(),
                                                    search_.pyramid.samples, samples_.device_data(),
                                                    shares_, m.clip, blocks_.device_data());
    return cuda_status(cudaGetLastError(), "launch blocks");
  }

  Status queue_windows(cudaStream_t s, const Round& round) {
    const DenseModel& m = dense_model();
    const int tiles = static_cast<int>(round.window_tiles.size());
    auto* const kernel = m.blocks_x() == 7 ? windows_kernel<7> : windows_kernel<0>;
    kernel<<<div_up(tiles, kWarps), kWarps * 32, 0, s>>>(
        sheets_.device_data(), round.window_tiles.device_data(), tiles,
        reinterpret_cast<const float4*>(blocks_.device_data()),
        reinterpret_cast<const float4*>(weights_.device_data()), m.blocks_x(), m.blocks_y(), m.bias,
        device_threshold_.device_data(), found_.device_data());
    return cuda_status(cudaGetLastError(), "launch windows");
  }

  Result<Hits> run(const Graph& graph, float threshold) {
    threshold_[0] = threshold;
    if (Status ok = graph.launch(stream()); !ok) return ok.error();
    if (Status ok = wait(stream()); !ok) return ok.error();
    const int count = results_[0].window;
    if (count > kReadBack) {
      const auto rest = static_cast<std::size_t>(count - kReadBack);
      if (Status ok = copy_to_host(stream(), results_.data() + 1 + kReadBack,
                                   found_.device_data() + 1 + kReadBack, rest);
          !ok)
        return ok.error();
      if (Status ok = wait(stream()); !ok) return ok.error();
    }
    std::copy_n(results_.data() + 1, count, hits_.begin());
    std::sort(hits_.begin(), hits_.begin() + count,
              [](const Hit& a, const Hit& b) { return a.window < b.window; });
    return Hits{hits_.data(), count};
  }

  const Context& context_;
  Model model_;
  SearchPlan search_;
  DensePlan plan_;
  Shares shares_{};
  int planes_ = 1;
  std::optional<Stream> stream_;
  std::optional<PyramidTables> pyramid_;
  DeviceBuffer<DeviceSheet> sheets_;
  std::vector<Round> rounds_;
  DeviceBuffer<DeviceIntegral> integrals_;
  DeviceBuffer<Corner> histogram_corners_, line_corners_, column_corners_;
  DeviceBuffer<Sum> sums_;
  DeviceBuffer<float> samples_, weights_, blocks_, device_threshold_;
  DeviceBuffer<Byte> input_, levels_;
  DeviceBuffer<Hit> found_;  // [0].window counts the others
  HostBuffer<Byte> staging_;
  HostBuffer<float> threshold_;
  HostBuffer<Hit> results_;
  std::vector<Hit> hits_;
  Graph graphs_[2][2];  // [colour][from the host]
};

}  // namespace

Result<std::unique_ptr<Engine>> dense::make_dense_cuda(const Context& context, Model model,
                                                       const SearchSettings& settings, int width,
                                                       int height, std::size_t round_values) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, "dense engine", "the backend is the CPU"};
  if (!std::holds_alternative<DenseModel>(model.kind))
    return Error{Errc::invalid_argument, 0, "dense engine", "the model is a cascade"};
  if (Status ok = validate(model); !ok) return ok.error();
  Result<SearchPlan> plan = plan_search(model.geometry(), settings, width, height);
  if (!plan) return plan.error();
  auto engine =
      std::make_unique<DenseCuda>(context, std::move(model), *std::move(plan), round_values);
  if (Status ok = engine->allocate(); !ok) return ok.error();
  return std::unique_ptr<Engine>{std::move(engine)};
}

Result<std::unique_ptr<Engine>> make_dense_cuda(const Context& context, Model model,
                                                const SearchSettings& settings, int width,
                                                int height) {
  return dense::make_dense_cuda(context, std::move(model), settings, width, height, kRoundValues);
}

}  // namespace kerb::hog
