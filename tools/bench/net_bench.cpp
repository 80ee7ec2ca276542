// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/net_bench.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/workers.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/second_look.hpp"
#include "tools/bench/contexts.hpp"
#include "tools/bench/random.hpp"
#include "tools/bench/street.hpp"

namespace kerb::bench {
namespace {

using Byte = std::uint8_t;

struct Shape {
  int outputs, kernel_width, kernel_height, stride, padding;
};
constexpr Shape kShapes[] = {{16, 3, 3, 2, 1}, {32, 3, 3, 2, 1},  {32, 3, 3, 1, 1},
                             {64, 3, 3, 2, 1}, {64, 3, 3, 1, 1},  {96, 3, 3, 2, 1},
                             {96, 3, 3, 1, 1}, {128, 3, 6, 1, 0}, {4, 1, 1, 1, 0}};

std::vector<Detection> people(const NetBench& bench) {
  Random random{7};
  std::vector<Detection> out;
  for (int i = 0; i < bench.crops; ++i) {
    const float h = 40 * std::pow(10.0F, random.unit() * random.unit()), w = 0.41F * h;
    out.push_back({(static_cast<float>(bench.width) - w) * random.unit(),
                   (static_cast<float>(bench.height) - h) * random.unit(), w, h, 0});
  }
  return out;
}

template <Space S>
PlanesView<S, const Byte> planes_of(const Byte* data, const NetBench& bench) {
  return {data,         3,           bench.width,
          bench.height, bench.width, static_cast<std::ptrdiff_t>(bench.width) * bench.height};
}

/// What the contestants of one benchmark share.
struct Scene {
  const NetBench& bench;
  std::vector<Byte> picture = street_colours(bench.width, bench.height);
  std::vector<Detection> candidates = people(bench), found = candidates;
  net::Network network = typical_network();
  std::vector<Contestant> contestants{};
  std::vector<int> threads{}, blocks{};

  void add(const char* name, const char* backend, int count, std::function<Status()> frame,
           int per_crop = 0) {
    contestants.push_back({name, backend, std::move(frame)});
    threads.push_back(count);
    blocks.push_back(per_crop);
  }
  /// A frame's look, at the same candidates each time.
  template <typename View>
  Status look(net::SecondLook& engine, const View& view) {
    std::copy(candidates.begin(), candidates.end(), found.begin());
    return engine.look(view, found.data(), static_cast<int>(found.size()));
  }
};

Status add_cpu(Scene& scene, const Context& context, int threads) {
  const auto workers = std::make_shared<Workers>(threads);
  const net::CropShape shape = scene.network.crop;
  const int samples = shape.planes * shape.width * shape.height;
  const auto crops = std::make_shared<std::vector<Byte>>(
      static_cast<std::size_t>(samples) * static_cast<std::size_t>(workers->count()));
  scene.add("cut", "cpu", workers->count(), [&scene, workers, crops, shape, samples]() -> Status {
    workers->run(scene.bench.crops, [&](int task, int worker) {
      const Detection& person = scene.candidates[static_cast<std::size_t>(task)];
      net::cut_crop(planes_of<Space::host>(scene.picture.data(), scene.bench), shape,
                    net::place_crop(shape, person),
                    crops->data() + static_cast<std::ptrdiff_t>(worker) * samples);
    });
    return Done{};
  });
  Result<std::unique_ptr<net::SecondLook>> made = net::make_second_look(
      context, *workers, scene.network, scene.bench.width, scene.bench.height);
  if (!made) return made.error();
  const std::shared_ptr<net::SecondLook> engine = std::move(*made);
  scene.add("look", "cpu", workers->count(), [&scene, workers, engine] {
    return scene.look(*engine, planes_of<Space::host>(scene.picture.data(), scene.bench));
  });
  return Done{};
}

Status add_cuda(Scene& scene, const Context& context) {
  Result<DeviceBuffer<Byte>> there = DeviceBuffer<Byte>::create(context, scene.picture.size());
  if (!there) return there.error();
  const auto picture = std::make_shared<DeviceBuffer<Byte>>(std::move(*there));
  Status ok = copy_to_device(context.stream(), picture->device_data(), scene.picture.data(),
                             scene.picture.size());
  if (ok) ok = wait(context.stream());
  if (!ok) return ok;
  for (const int blocks : {0, 1, 2, 4, 8}) {
    Result<std::unique_ptr<net::SecondLook>> made = net::make_second_look_cuda(
        context, scene.network, scene.bench.width, scene.bench.height, {blocks, false});
    if (!made && blocks > 1 && made.error().code == Errc::unsupported) continue;  // no clusters
    if (!made) return made.error();
    const std::shared_ptr<net::SecondLook> engine = std::move(*made);
    scene.add(
        "look", "cuda", 0,
        [&scene, engine, picture] {
          return scene.look(*engine, planes_of<Space::device>(picture->device_data(), scene.bench));
        },
        blocks);
    if (blocks > 0) continue;
    scene.add("upload and look", "cuda", 0, [&scene, engine] {
      return scene.look(*engine, planes_of<Space::host>(scene.picture.data(), scene.bench));
    });
  }
  return Done{};
}

}  // namespace

net::Network typical_network() {
  Random random{11};
  net::Network out;
  int inputs = out.crop.planes;
  for (const Shape& shape : kShapes) {
    net::Layer layer;
    layer.inputs = inputs;
    layer.outputs = shape.outputs;
    layer.kernel_width = shape.kernel_width;
    layer.kernel_height = shape.kernel_height;
    layer.stride = shape.stride;
    layer.padding = shape.padding;
    const int count = inputs * shape.kernel_width * shape.kernel_height;
    for (int i = 0; i < count * shape.outputs; ++i)
      layer.weights.push_back(static_cast<std::int8_t>(random.below(255) - 127));
    layer.bias.assign(static_cast<std::size_t>(shape.outputs), 0);
    // About half of the values are 0, and few are cut.
    layer.factor.assign(static_cast<std::size_t>(shape.outputs),
                        40 / (73 * 40 * std::sqrt(static_cast<float>(count))));
    inputs = shape.outputs;
    out.layers.push_back(std::move(layer));
  }
  return out;
}

Result<std::vector<NetRow>> bench_net(const Clock& clock, const NetBench& bench) {
  Contexts contexts;
  if (Status ok = contexts.open(bench.cuda); !ok) return ok.error();
  Scene scene{bench};
  if (bench.cpu)
    for (const int threads : bench.threads)
      if (Status ok = add_cpu(scene, *contexts.cpu, threads); !ok) return ok.error();
  if (bench.cuda)
    if (Status ok = add_cuda(scene, *contexts.cuda); !ok) return ok.error();
  const Result<std::vector<Times>> times = contest(clock, scene.contestants, bench.repeats);
  if (!times) return times.error();
  const double products = static_cast<double>(net::products_of(scene.network)) * bench.crops;
  std::vector<NetRow> rows;
  for (std::size_t i = 0; i < scene.contestants.size(); ++i) {
    const Contestant& c = scene.contestants[i];
    const double seconds = (*times)[i].median_ms / 1000;
    rows.push_back({c.name, c.backend, scene.threads[i], scene.blocks[i], (*times)[i],
                    c.name == "cut" || seconds <= 0 ? 0 : products / seconds});
  }
  return rows;
}

}  // namespace kerb::bench
