// SPDX-License-Identifier: Apache-2.0
// Times gpu/image on this machine: one JSON line a measurement. docs/results/image.md says how to
// read it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/image/preparer.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/memory/buffer.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "bench_gpu_image: %s\n", describe(status.error()).c_str());
  std::exit(1);
}
void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_gpu_image: %s\n", cudaGetErrorString(error));
  std::exit(1);
}
template <typename T>
T must(Result<T> result) {
  must(result ? Status{Done{}} : Status{result.error()});
  return std::move(*result);
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Wall time of one call, in microseconds.
double time_on_host(const std::function<void()>& call, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats + 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (i >= 3) times.push_back(took.count());  // the first ones warm up
  }
  return median(times);
}

/// Time of one call in a row of `batch` on the stream, in microseconds, by events. Launches are
/// queued ahead as a graph, so that it is the GPU that is timed and not the CPU's launching.
double time_on_device(StreamRef stream, const std::function<void(int)>& call, int batch,
                      int repeats) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  must(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < batch; ++i) call(i);
  must(cudaStreamEndCapture(stream.get(), &graph));
  must(cudaGraphInstantiate(&replay, graph, 0));
  cudaEvent_t start = nullptr, stop = nullptr;
  must(cudaEventCreate(&start));
  must(cudaEventCreate(&stop));
  std::vector<double> times;
  for (int i = 0; i < repeats + 3; ++i) {
    must(cudaEventRecord(start, stream.get()));
    must(cudaGraphLaunch(replay, stream.get()));
    must(cudaEventRecord(stop, stream.get()));
    must(cudaEventSynchronize(stop));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, start, stop));
    if (i >= 3) times.push_back(1000.0 * static_cast<double>(ms) / batch);
  }
  must(cudaEventDestroy(start));
  must(cudaEventDestroy(stop));
  must(cudaGraphExecDestroy(replay));
  must(cudaGraphDestroy(graph));
  return median(times);
}

constexpr int kRepeats = 101, kBatch = 64;
constexpr std::size_t kSpread = std::size_t{512}
                                << 20;  // inputs and outputs rotate: the caches must not hold them

/// Device copy bandwidth in GB/s, bytes read and written both counted: the better of the driver's
/// own copy and a picture that fills the buffers, which the simplest kernel here copies.
double copy_bandwidth(const Context& gpu, std::uint8_t* a, std::uint8_t* b) {
  constexpr int kWidth = 32768, kHeight = static_cast<int>(kSpread / kWidth);
  const double driver_us = time_on_device(
      gpu.stream(),
      [&](int) {
        must(cudaMemcpyAsync(b, a, kSpread, cudaMemcpyDeviceToDevice, gpu.stream().get()));
      },
      4, 21);
  const double kernel_us = time_on_device(
      gpu.stream(),
      [&](int) {
        must(to_grey(gpu.stream(), {a, kWidth, kHeight, kWidth}, {b, kWidth, kHeight, kWidth}));
      },
      4, 21);
  const double driver = 2e-3 * kSpread / driver_us, kernel = 2e-3 * kSpread / kernel_us;
  std::printf("{\"copy\":\"512 MiB\",\"driver_gbs\":%.0f,\"kernel_gbs\":%.0f}\n", driver, kernel);
  return std::max(driver, kernel);
}

struct Case {
  PixelFormat format;
  int mosaic;
};
constexpr Case kCases[] = {{PixelFormat::grey8, 0},   {PixelFormat::grey12, 0},
                           {PixelFormat::yuyv, 0},    {PixelFormat::nv12, 0},
                           {PixelFormat::rgb24, 0},   {PixelFormat::bayer8, 0},
                           {PixelFormat::bayer10, 0}, {PixelFormat::grey8, 4},
                           {PixelFormat::grey10, 3},  {PixelFormat::grey10, 4}};

class Bench {
 public:
  Bench(const Context& gpu, const Context& cpu_context)
      : gpu_{gpu},
        cpu_{cpu_context},
        input_{must(DeviceBuffer<std::uint8_t>::create(gpu, kSpread))},
        output_{must(DeviceBuffer<std::uint8_t>::create(gpu, kSpread))} {}

  void machine() {
    const double gbs = copy_bandwidth(gpu_, input_.device_data(), output_.device_data());
    bandwidth_ = gbs;
    const ContextInfo& info = gpu_.info();
    std::printf(
        "{\"machine\":\"%s\",\"compute_capability\":%d,\"driver\":%d,\"runtime\":%d,"
        "\"copy_gbs\":%.0f,\"repeats\":%d}\n",
        info.device.c_str(), info.compute_capability, info.driver_version, info.runtime_version,
        gbs, kRepeats);
    const double empty = time_on_device(
        gpu_.stream(),
        [&](int) { must(cudaMemsetAsync(output_.device_data(), 0, 4, gpu_.stream().get())); },
        kBatch, kRepeats);
    std::printf("{\"operator\":\"four_byte_fill\",\"backend\":\"cuda\",\"us\":%.2f}\n", empty);
    GpuFrameMemory frames{gpu_};
    const double us = time_on_host([&] { (void)must(frames.allocate(std::size_t{4} << 20)); }, 21);
    std::printf("{\"operator\":\"frame_memory_4MiB\",\"kind\":\"%s\",\"us\":%.0f}\n", frames.kind(),
                us);
  }

  void run(const Case& c, int width, int height) {
    const Picture picture{c.format, width, height, 0, c.mosaic};
    fill_input(picture);
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::size_t in_bytes = picture.view.format == PixelFormat::nv12
                                     ? pixels
                                     : static_cast<std::size_t>(min_row_bytes(c.format, width)) *
                                           static_cast<std::size_t>(height);
    {
      std::vector<std::uint8_t> out(pixels);
      const double us = time_on_host(
          [&] {
            must(cpu::to_grey(picture.view, {out.data(), width, height, width}));
          },
          kRepeats);
      line("to_grey", "cpu", c, width, height, us, in_bytes + pixels);
    }
    const double grey_us = time_on_device(
        gpu_.stream(),
        [&](int i) {
          must(to_grey(gpu_.stream(), input_at(picture, i),
                       {output_.device_data() + slot(i, pixels), width, height, width}));
        },
        kBatch, kRepeats);
    line("to_grey", "cuda", c, width, height, grey_us, in_bytes + pixels);
    if (c.mosaic != 0) split(c, picture, in_bytes);
    prepare(c, picture, in_bytes + pixels);
  }

 private:
  static std::size_t slot(int i, std::size_t bytes) {
    const std::size_t step = (bytes + 511) / 512 * 512;
    return static_cast<std::size_t>(i) % (kSpread / step) * step;
  }
  void fill_input(const Picture& picture) {
    for (int i = 0; i < kBatch; ++i)
      must(copy_to_device(gpu_.stream(), input_.device_data() + slot(i, picture.bytes.size()),
                          picture.bytes.data(), picture.bytes.size()));
    must(wait(gpu_.stream()));
  }
  RawImageView<Space::device> input_at(const Picture& picture, int i) const {
    const RawImageView<Space::host>& v = picture.view;
    return {input_.device_data() + slot(i, picture.bytes.size()),
            v.width,
            v.height,
            v.row_stride,
            nullptr,
            0,
            v.format,
            v.bayer,
            v.mosaic};
  }
  void line(const char* name, const char* backend, const Case& c, int width, int height, double us,
            std::size_t bytes) const {
    std::printf(
        "{\"operator\":\"%s\",\"backend\":\"%s\",\"format\":\"%s\",\"mosaic\":%d,\"width\":%d,"
        "\"height\":%d,\"us\":%.2f,\"bytes\":%zu,\"gbs\":%.1f",
        name, backend, name_of(c.format), c.mosaic, width, height, us, bytes,
        1e-3 * static_cast<double>(bytes) / us);
    if (std::strcmp(backend, "cuda") == 0)
      std::printf(",\"of_copy\":%.3f", 1e-3 * static_cast<double>(bytes) / us / bandwidth_);
    std::printf("}\n");
  }

  void split(const Case& c, const Picture& picture, std::size_t in_bytes) {
    const int n = c.mosaic, width = picture.view.width / n, height = picture.view.height / n;
    const int plane = width * height;
    std::vector<std::uint16_t> out(static_cast<std::size_t>(plane * n * n));
    const double host_us = time_on_host(
        [&] {
          must(cpu::split_mosaic(picture.view, {out.data(), n * n, width, height, width, plane}));
        },
        kRepeats);
    const std::size_t bytes = in_bytes + out.size() * 2;
    line("split_mosaic", "cpu", c, picture.view.width, picture.view.height, host_us, bytes);
    const double us = time_on_device(
        gpu_.stream(),
        [&](int i) {
          auto* to =
              reinterpret_cast<std::uint16_t*>(output_.device_data() + slot(i, out.size() * 2));
          must(split_mosaic(gpu_.stream(), input_at(picture, i),
                            {to, n * n, width, height, width, plane}));
        },
        kBatch, kRepeats);
    line("split_mosaic", "cuda", c, picture.view.width, picture.view.height, us, bytes);
  }

  /// What the pipeline sees: a frame in camera memory to a result the host can read, waited for.
  void prepare(const Case& c, const Picture& picture, std::size_t bytes) {
    FrameSourceInfo source;
    source.format = c.format;
    source.mosaic = c.mosaic;
    source.width = picture.view.width;
    source.height = picture.view.height;
    for (const Context* context : {&cpu_, &gpu_}) {
      GpuFrameMemory frames{*context};
      const MemoryBlock block = must(frames.allocate(picture.bytes.size()));
      std::memcpy(block.data(), picture.bytes.data(), picture.bytes.size());
      RawImageView<Space::host> view = picture.view;
      view.data = block.data();
      const std::unique_ptr<Preparer> preparer = must(Preparer::create(*context, &frames, source));
      const double us = time_on_host([&] { (void)must(preparer->prepare(view)); }, kRepeats);
      std::printf(
          "{\"operator\":\"prepare\",\"backend\":\"%s\",\"format\":\"%s\",\"mosaic\":%d,"
          "\"width\":%d,\"height\":%d,\"us\":%.1f,\"bytes\":%zu,\"zero_copy\":%s}\n",
          preparer->backend(), name_of(c.format), c.mosaic, view.width, view.height, us, bytes,
          preparer->was_zero_copy() ? "true" : "false");
    }
  }

  const Context& gpu_;
  const Context& cpu_;
  DeviceBuffer<std::uint8_t> input_, output_;
  double bandwidth_ = 1;
};

}  // namespace

int main() {
  Result<Context> gpu = Context::create(BackendChoice::cuda);
  if (!gpu) {
    std::fprintf(stderr, "bench_gpu_image: %s\n", describe(gpu.error()).c_str());
    return 77;
  }
  const Context cpu_context = must(Context::create(BackendChoice::cpu));
  Bench bench{*gpu, cpu_context};
  bench.machine();
  for (Size size : {Size{1280, 720}, Size{1920, 1080}})
    for (const Case& c : kCases) bench.run(c, size.width, size.height);
  return 0;
}
