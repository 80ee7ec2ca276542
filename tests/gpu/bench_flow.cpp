// SPDX-License-Identifier: Apache-2.0
// Times optical flow on this machine: one JSON line a measurement, medians. Pictures are made up: a
// surface in motion with a square in front, all within reach. `bench_gpu_flow lk` or
// `bench_gpu_flow bm` times one method alone.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/memory/buffer.hpp"
#include "tests/unit/gpu/flow_bm_scenes.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "bench_gpu_flow: %s\n", describe(status.error()).c_str());
  std::exit(1);
}
void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_gpu_flow: %s\n", cudaGetErrorString(error));
  std::exit(1);
}
template <typename T>
T must(Result<T> result) {
  must(result ? Status{Done{}} : Status{result.error()});
  return std::move(*result);
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Wall time of one call in microseconds.
double time_on_host(const std::function<void()>& call, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats + 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (i >= 3) times.push_back(took.count());
  }
  return median(times);
}

/// Time of one frame on the stream in microseconds, by events: `batch` frames in a row.
double time_on_device(const Context& gpu, const std::function<void()>& call, int batch,
                      int repeats) {
  cudaEvent_t start = nullptr, stop = nullptr;
  must(cudaEventCreate(&start));
  must(cudaEventCreate(&stop));
  std::vector<double> times;
  for (int i = 0; i < repeats + 3; ++i) {
    must(cudaEventRecord(start, gpu.stream().get()));
    for (int k = 0; k < batch; ++k) call();
    must(cudaEventRecord(stop, gpu.stream().get()));
    must(cudaEventSynchronize(stop));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, start, stop));
    if (i >= 3) times.push_back(1000.0 * static_cast<double>(ms) / batch);
  }
  must(cudaEventDestroy(start));
  must(cudaEventDestroy(stop));
  return median(times);
}

using Made = Result<std::unique_ptr<Estimator>>;

/// A method with its settings: how it is made, and the least that must move for each pixel.
struct Method {
  const char* name;
  std::function<Made(const Context&, Workers&, int, int)> make;
  double least_bytes;
};

Method block_matching(const char* name, Cost cost) {
  BlockMatchingSettings settings;
  settings.cost = cost;
  // Both pictures in; all levels of both written and read; NCC's sums written and read; field out.
  const double levels = 4.0 / 3, sums = cost == Cost::ncc ? 2 * sizeof(float) : 0;
  return {name,
          [=](const Context& context, Workers& workers, int width, int height) {
            return make_block_matching(context, workers, settings, width, height);
          },
          2 + 2 * levels * 2 + 2 * levels * sums + 10};
}

Method lucas_kanade(const char* name, bool check_back) {
  LucasKanadeSettings settings;
  settings.check_back = check_back;
  // Both pictures in, their samples written and read, vectors read and written by each iteration
  // with the samples of both pictures, the field out.
  const double later = 1.0 / 3;  // of all levels but the first
  const double iterations = settings.finest_iterations + settings.iterations * later;
  return {name,
          [=](const Context& context, Workers& workers, int width, int height) {
            return make_lucas_kanade(context, workers, settings, width, height);
          },
          2 + 2 * 2 * 2 * (1 + later) + (4 + 4 + 2 * 2) * iterations + 10};
}

struct Case {
  int width, height;
  double masked;  // the part of the picture that is wanted; 1: no mask
};

void bench(const Context& gpu, const Context& cpu, Workers& workers, const Method& method,
           const Case& c) {
  const Surface back{1}, front{2};
  GreyPicture first = moved(back, c.width, c.height, 0, 0);
  GreyPicture second = moved(back, c.width, c.height, 5.3, -2.6);
  put_square(first, front, 0, 0);
  put_square(second, front, -27.4, 11.2);
  GreyPicture mask{c.width, c.height};
  const double side = std::sqrt(c.masked);
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x)
      mask.at(x, y) = x < side * c.width && y < side * c.height ? 255 : 0;
  const bool masked = c.masked < 1;

  const auto on_gpu = must(method.make(gpu, workers, c.width, c.height));
  const auto on_cpu = must(method.make(cpu, workers, c.width, c.height));
  const FlowField field = must(FlowField::create(gpu, c.width, c.height));
  const auto pixels = first.bytes.size();
  DeviceBuffer<std::uint8_t> there = must(DeviceBuffer<std::uint8_t>::create(gpu, 3 * pixels));
  must(copy_to_device(gpu.stream(), there.device_data(), first.bytes.data(), pixels));
  must(copy_to_device(gpu.stream(), there.device_data() + pixels, second.bytes.data(), pixels));
  must(copy_to_device(gpu.stream(), there.device_data() + 2 * pixels, mask.bytes.data(), pixels));
  must(wait(gpu.stream()));
  const auto view = [&](std::size_t i) {
    return ImageView<Space::device, const std::uint8_t>{there.device_data() + i * pixels, c.width,
                                                        c.height, c.width};
  };
  const auto wanted = masked ? view(2) : Mask<Space::device>{};
  const double device_us = time_on_device(
      gpu, [&] { must(on_gpu->run(view(0), view(1), wanted, field.device())); }, 16, 51);
  const double latency_us = time_on_host(
      [&] {
        must(on_gpu->run(view(0), view(1), wanted, field.device()));
        must(wait(gpu.stream()));
      },
      101);
  Vectors out{c.width, c.height};
  const auto host_mask = masked ? mask.view() : Mask<Space::host>{};
  const double host_us = time_on_host(
      [&] { must(on_gpu->run(first.view(), second.view(), host_mask, out.view())); }, 21);
  Vectors expected{c.width, c.height};
  const double cpu_us = time_on_host(
      [&] { must(on_cpu->run(first.view(), second.view(), host_mask, expected.view())); }, 11);
  const bool equal = out.u == expected.u && out.v == expected.v &&
                     out.quality == expected.quality && out.flags == expected.flags;
  const double bytes = method.least_bytes * c.width * c.height * c.masked;
  std::printf(
      "{\"method\":\"%s\",\"width\":%d,\"height\":%d,\"wanted\":%.2f,\"cuda_us\":%.1f,"
      "\"cuda_latency_us\":%.1f,\"cuda_from_host_us\":%.1f,\"cpu_us\":%.0f,\"cpu_threads\":%d,"
      "\"least_mbytes\":%.1f,\"least_gbytes_per_s\":%.0f,\"cuda_bytes\":%zu,\"cpu_bytes\":%zu,"
      "\"equal\":%s}\n",
      method.name, c.width, c.height, c.masked, device_us, latency_us, host_us, cpu_us,
      workers.count(), bytes / 1e6, bytes / device_us / 1e3, on_gpu->bytes(), on_cpu->bytes(),
      equal ? "true" : "false");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view only = argc > 1 ? argv[1] : "";
  const Context gpu = must(Context::create(BackendChoice::cuda));
  const Context cpu = must(Context::create(BackendChoice::cpu));
  Workers workers;
  std::printf("{\"machine\":\"%s\",\"compute_capability\":%d}\n", gpu.info().device.c_str(),
              gpu.info().compute_capability);
  const Case road{1280, 720, 1};
  const Case others[] = {
      {640, 384, 1}, {1920, 1080, 1}, {3840, 2160, 1}, {1280, 720, 0.25}, {1280, 720, 0.04}};
  const auto run = [&](std::string_view family, const Method& main_one,
                       const std::vector<Method>& variants) {
    if (!only.empty() && only != family) return;
    bench(gpu, cpu, workers, main_one, road);
    for (const Method& variant : variants) bench(gpu, cpu, workers, variant, road);
    for (const Case& c : others) bench(gpu, cpu, workers, main_one, c);
  };
  run("lk", lucas_kanade("lk", false), {lucas_kanade("lk and back", true)});
  run("bm", block_matching("bm ncc", Cost::ncc),
      {block_matching("bm ssd", Cost::ssd), block_matching("bm sad", Cost::sad)});
  return 0;
}
