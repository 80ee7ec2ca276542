// SPDX-License-Identifier: Apache-2.0
// Every detector, or the models named, over a folder of real pictures (PGM or PPM, 8 bits), on the
// CPU and, where there is one, on the GPU: every score of every window must be the same. Ends with
// one number for all of them: run it on another machine and compare.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gpu/hog/engine.hpp"
#include "gpu/hog/model_file.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/image/to_rgb.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;

namespace {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> grey, rgb;  // rgb: three planes, or none
  [[nodiscard]] Picture<Space::host> picture(bool colour) const {
    Picture<Space::host> p{{grey.data(), width, height, width}, {}};
    if (colour)
      p.rgb = {rgb.data(), 3, width, height, width, static_cast<std::ptrdiff_t>(grey.size())};
    return p;
  }
};

bool read(const std::filesystem::path& path, Pixels& pixels) {
  std::ifstream file{path, std::ios::binary};
  std::string magic;
  int width = 0, height = 0, most = 0;
  file >> magic >> width >> height >> most;
  const bool colour = magic == "P6";
  if (!file || (magic != "P5" && !colour) || most != 255 || width < 1 || height < 1 ||
      width > 65536 || height > 65536)
    return false;
  file.get();
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::uint8_t> samples(colour ? 3 * count : count);
  file.read(reinterpret_cast<char*>(samples.data()), static_cast<std::streamsize>(samples.size()));
  if (!file) return false;
  pixels.width = width;
  pixels.height = height;
  if (!colour) {
    pixels.grey = std::move(samples);
    return true;
  }
  RawImageView<Space::host> in;
  in.data = samples.data();
  in.width = width;
  in.height = height;
  in.row_stride = 3 * std::ptrdiff_t{width};
  in.format = PixelFormat::rgb24;
  pixels.grey.resize(count);
  pixels.rgb.resize(3 * count);
  return cpu::to_grey(in, {pixels.grey.data(), width, height, width}) &&
         cpu::to_rgb(
             in, {pixels.rgb.data(), 3, width, height, width, static_cast<std::ptrdiff_t>(count)});
}

struct Run {
  Model model;
  bool colour = false;
  SearchSettings how = search(1.1, 8);
};

/// A model as it advises to be used, in colour if it needs that.
Run advised(Model model) {
  SearchSettings how = search(static_cast<double>(model.advice.scale_step), model.advice.stride,
                              model.advice.padding);
  const auto* cascade = std::get_if<CascadeModel>(&model.kind);
  const bool colour = cascade != nullptr && cascade->channels.colour;
  return {std::move(model), colour, how};
}

/// Detectors whose every window comes out, or as many as pass a cascade that lets many through.
std::vector<Run> runs() {
  std::vector<Run> all;
  for (const DenseKind kind : {DenseKind::rhog, DenseKind::cells, DenseKind::integral})
    all.push_back({dense_model(7, kind)});
  for (const CascadeCase& c :
       {CascadeCase{"linear", 0, 0, false, {}}, CascadeCase{"trees", 0, 0, true, {}},
        CascadeCase{"soft", 0, 0, false, {}, true}})
    all.push_back({model_for(c, 2)});
  all.push_back({dense_model(7, DenseKind::rhog), true});
  all.push_back({model_for({"colour", 0, 0, true, {}, false, true}, 2), true});
  return all;
}

std::uint64_t mixed(std::uint64_t sum, const Engine::Hits& hits) {  // FNV-1a
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(hits.data);
  for (std::size_t i = 0; i < static_cast<std::size_t>(hits.count) * sizeof(Hit); ++i)
    sum = (sum ^ bytes[i]) * 0x100000001b3U;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: hog_pictures FOLDER [MODEL.kwm ...]\n", stderr);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at{argv[1], error}, end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".pgm" || at->path().extension() == ".ppm")
      paths.push_back(at->path());
  if (error || paths.empty()) {
    std::fprintf(stderr, "hog_pictures: %s: %s\n", argv[1],
                 error ? error.message().c_str() : "no pictures");
    return 2;
  }
  std::sort(paths.begin(), paths.end());
  const Result<Context> context = Context::create(BackendChoice::automatic);
  if (!context) return 1;
  const bool cuda = context->backend() == Backend::cuda;
  Workers workers;
  std::uint64_t sum = 0xcbf29ce484222325U;
  std::int64_t windows = 0, wrong = 0;
  std::vector<Run> all;
  for (int i = 2; i < argc; ++i) {
    Result<Model> model = load(argv[i]);
    if (!model) {
      std::fprintf(stderr, "hog_pictures: %s\n", describe(model.error()).c_str());
      return 2;
    }
    all.push_back(advised(*std::move(model)));
  }
  if (all.empty()) all = runs();
  for (const auto& path : paths) {
    Pixels pixels;
    if (!read(path, pixels)) {
      std::fprintf(stderr, "hog_pictures: %s: not an 8-bit PGM or PPM\n", path.c_str());
      return 2;
    }
    const int width = pixels.width, height = pixels.height;
    for (const auto& [model, colour, how] : all) {
      if (colour && pixels.rgb.empty()) continue;
      const Picture<Space::host> picture = pixels.picture(colour);
      const bool dense = std::holds_alternative<DenseModel>(model.kind);
      auto host = dense ? make_dense_cpu(workers, model, how, width, height)
                        : make_cascade_cpu(workers, model, how, width, height);
      if (!host) {
        std::fprintf(stderr, "hog_pictures: %s\n", describe(host.error()).c_str());
        return 1;
      }
      const auto expected = (*host)->search(picture, -1e9F);
      if (!expected) {
        std::fprintf(stderr, "hog_pictures: %s\n", describe(expected.error()).c_str());
        return 1;
      }
      sum = mixed(sum, *expected);
      windows += expected->count;
      if (!cuda) continue;
      auto device = make_engine(*context, workers, model, how, width, height);
      if (!device) {
        std::fprintf(stderr, "hog_pictures: %s\n", describe(device.error()).c_str());
        return 1;
      }
      const auto hits = (*device)->search(picture, -1e9F);
      if (!hits) {
        std::fprintf(stderr, "hog_pictures: %s\n", describe(hits.error()).c_str());
        return 1;
      }
      const bool same = hits->count == expected->count &&
                        std::memcmp(hits->data, expected->data,
                                    static_cast<std::size_t>(hits->count) * sizeof(Hit)) == 0;
      if (!same) {
        ++wrong;
        std::printf("%s: %s%s differs: %d windows on the CPU, %d on the GPU\n", path.c_str(),
                    model.name.c_str(), colour ? " in colour" : "", expected->count, hits->count);
      }
    }
  }
  std::printf("%zu pictures, %lld scores, %s, %lld differences, all together %016llx\n",
              paths.size(), static_cast<long long>(windows), cuda ? "CPU and CUDA" : "CPU alone",
              static_cast<long long>(wrong), static_cast<unsigned long long>(sum));
  return wrong == 0 ? 0 : 1;
}
