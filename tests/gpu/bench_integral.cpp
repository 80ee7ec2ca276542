// SPDX-License-Identifier: Apache-2.0
// Chapter 6 of the thesis, on this machine: integral images of each type by its way and by ours,
// and on the CPU. One line a measurement, as a table. Times are medians; GB/s count what must be
// moved, the input once and the output once, so that ways can be compared.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "gpu/image/integral.hpp"
#include "gpu/memory/buffer.hpp"
#include "tests/unit/gpu/arrays.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "bench_integral: %s\n", describe(status.error()).c_str());
  std::exit(1);
}
void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_integral: %s\n", cudaGetErrorString(error));
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
  for (int i = 0; i < repeats + 1; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (i >= 1) times.push_back(took.count());  // the first one warms up
  }
  return median(times);
}

/// Time of one call in a row of `batch`, in microseconds, by events; launched as a graph, so that
/// it is the GPU that is timed and not the CPU's launching.
double time_on_device(StreamRef stream, const std::function<void()>& call, int batch, int repeats) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  must(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < batch; ++i) call();
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

constexpr int kSides[] = {256, 512, 1024, 2048, 4096};
constexpr int kRepeats = 31, kBatch = 16;

void line(const char* type, int side, const char* way, double us, double bytes) {
  std::printf("%-14s %5d %-22s %12.1f %10.1f\n", type, side, way, us, 1e-3 * bytes / us);
  std::fflush(stdout);
}

template <typename In, typename T>
void run(const Context& gpu, const char* type) {
  for (int side : kSides) {
    const auto in = Array<In>::random(side, side, 0, true);
    Array<T> out{side + 1, side + 1, 0}, same{side, side, 0};
    const DeviceBuffer<In> input = must(DeviceBuffer<In>::create(gpu, in.values.size()));
    const DeviceBuffer<T> output = must(DeviceBuffer<T>::create(gpu, out.values.size()));
    const std::size_t room =
        std::max(integral_scratch(side, side), tree_integral_scratch(side, side));
    const DeviceBuffer<T> scratch = must(DeviceBuffer<T>::create(gpu, room));
    must(copy_to_device(gpu.stream(), input.device_data(), in.values.data(), in.values.size()));
    must(wait(gpu.stream()));
    const ImageView<Space::device, const In> from = in.on_device(input.device_data());
    const double bytes = static_cast<double>(side) * side * (sizeof(In) + sizeof(T));
    const int host_repeats = side > 2000 ? 3 : 11;
    line(type, side, "cpu",
         time_on_host([&] { must(cpu::integral(in.in(), out.out())); }, host_repeats), bytes);
    if constexpr (std::is_same_v<In, T>) {
      for (TreeForm form : {TreeForm::transposed, TreeForm::upright})
        line(type, side, form == TreeForm::upright ? "thesis, turned back" : "thesis",
             time_on_device(
                 gpu.stream(),
                 [&] {
                   must(tree_integral<T>(gpu.stream(), from, form, scratch,
                                         same.on_device(output.device_data())));
                 },
                 kBatch, kRepeats),
             bytes);
    }
    line(type, side, "ours",
         time_on_device(
             gpu.stream(),
             [&] {
               must(integral(gpu.stream(), from, scratch, out.on_device(output.device_data())));
             },
             kBatch, kRepeats),
         bytes);
  }
}

}  // namespace

int main() {
  Result<Context> gpu = Context::create(BackendChoice::cuda);
  if (!gpu) {
    std::fprintf(stderr, "bench_integral: %s\n", describe(gpu.error()).c_str());
    return 77;
  }
  std::printf("%s\n%-14s %5s %-22s %12s %10s\n", gpu->info().device.c_str(), "type", "side", "way",
              "median us", "GB/s");
  run<std::uint8_t, std::uint32_t>(*gpu, "uint8->uint32");
  run<std::uint32_t, std::uint32_t>(*gpu, "uint32");
  run<float, float>(*gpu, "float");
  run<Float4, Float4>(*gpu, "float4");
  run<double, double>(*gpu, "double");
  return 0;
}
