// SPDX-License-Identifier: Apache-2.0
// Every detector, or the models named, over a folder of real pictures (PGM or PPM, 8 bits), on the
// CPU and, where there is one, on the GPU: every score of every window must be the same, and, of
// models with a network, every person found. Ends with one number for all of them: run it on
// another machine and compare.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gpu/hog/engine.hpp"
#include "gpu/hog/model_file.hpp"
#include "gpu/hog/people_search.hpp"
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
  const bool colour = needs_colour(model);
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

/// FNV-1a.
std::uint64_t mixed(std::uint64_t sum, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3U;
  return sum;
}

/// Compares the backends, picture by picture.
class Comparison {
 public:
  Comparison(const Context& context, const Context& cpu) : context_{context}, cpu_{cpu} {}

  Status compare(const std::filesystem::path& path, const Pixels& pixels, const Run& run) {
    if (run.colour && pixels.rgb.empty()) return Done{};
    if (Status ok = compare_windows(path, pixels, run); !ok) return ok;
    return run.model.look_again ? compare_people(path, pixels, run) : Status{Done{}};
  }

  [[nodiscard]] bool cuda() const { return context_.backend() == Backend::cuda; }
  std::uint64_t sum = 0xcbf29ce484222325U;
  std::int64_t windows = 0, people = 0, wrong = 0;

 private:
  Status compare_windows(const std::filesystem::path& path, const Pixels& pixels, const Run& run) {
    const Picture<Space::host> picture = pixels.picture(run.colour);
    const bool dense = std::holds_alternative<DenseModel>(run.model.kind);
    auto host = (dense ? make_dense_cpu : make_cascade_cpu)(workers_, run.model, run.how,
                                                            pixels.width, pixels.height);
    if (!host) return host.error();
    const auto expected = (*host)->search(picture, kAnyScore);
    if (!expected) return expected.error();
    windows += expected->count;
    const std::size_t size = static_cast<std::size_t>(expected->count) * sizeof(Hit);
    sum = mixed(sum, expected->data, size);
    if (!cuda()) return Done{};
    auto device = make_engine(context_, workers_, run.model, run.how, pixels.width, pixels.height);
    if (!device) return device.error();
    const auto hits = (*device)->search(picture, kAnyScore);
    if (!hits) return hits.error();
    if (hits->count != expected->count || std::memcmp(hits->data, expected->data, size) != 0)
      differ(path, run, "windows", expected->count, hits->count);
    return Done{};
  }

  Status compare_people(const std::filesystem::path& path, const Pixels& pixels, const Run& run) {
    DetectionList expected, found;
    if (Status ok = find(cpu_, pixels, run, expected); !ok) return ok;
    people += expected.count;
    const std::size_t size = static_cast<std::size_t>(expected.count) * sizeof(Detection);
    sum = mixed(sum, expected.items, size);
    if (!cuda()) return Done{};
    if (Status ok = find(context_, pixels, run, found); !ok) return ok;
    if (found.count != expected.count || std::memcmp(found.items, expected.items, size) != 0)
      differ(path, run, "people", expected.count, found.count);
    return Done{};
  }

  Status find(const Context& context, const Pixels& pixels, const Run& run, DetectionList& out) {
    FusionSettings fusion;
    fusion.kind = run.model.advice.fusion;
    fusion.overlap = run.model.advice.overlap;
    fusion.of_smaller = run.model.advice.of_smaller;
    auto search = PeopleSearch::create(context, workers_, run.model, run.how, fusion, pixels.width,
                                       pixels.height);
    if (!search) return search.error();
    return (*search)->find(pixels.picture(run.colour), kAnyScore, out);
  }

  void differ(const std::filesystem::path& path, const Run& run, const char* what, int on_cpu,
              int on_gpu) {
    ++wrong;
    std::printf("%s: %s%s differs: %d %s on the CPU, %d on the GPU\n", path.c_str(),
                run.model.name.c_str(), run.colour ? " in colour" : "", on_cpu, what, on_gpu);
  }

  static constexpr float kAnyScore = -1e9F;
  const Context& context_;
  const Context& cpu_;
  Workers workers_;
};

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
  const Result<Context> context = Context::create(BackendChoice::automatic);
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  if (!context || !cpu) return 1;
  Comparison comparison{*context, *cpu};
  for (const auto& path : paths) {
    Pixels pixels;
    if (!read(path, pixels)) {
      std::fprintf(stderr, "hog_pictures: %s: not an 8-bit PGM or PPM\n", path.c_str());
      return 2;
    }
    for (const Run& run : all)
      if (const Status ok = comparison.compare(path, pixels, run); !ok) {
        std::fprintf(stderr, "hog_pictures: %s: %s\n", path.c_str(), describe(ok.error()).c_str());
        return 1;
      }
  }
  std::printf(
      "%zu pictures, %lld scores, %lld people, %s, %lld differences, all together %016llx\n",
      paths.size(), static_cast<long long>(comparison.windows),
      static_cast<long long>(comparison.people), comparison.cuda() ? "CPU and CUDA" : "CPU alone",
      static_cast<long long>(comparison.wrong), static_cast<unsigned long long>(comparison.sum));
  return comparison.wrong == 0 ? 0 : 1;
}
