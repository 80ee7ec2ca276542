// SPDX-License-Identifier: Apache-2.0
// Every detector over a folder of real pictures (PGM, 8 bits), on the CPU and, where there is one,
// on the GPU: every score of every window must be the same. Ends with one number for all of them:
// run it on another machine and compare.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/hog/engine.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;

namespace {

struct Grey {
  int width = 0, height = 0;
  std::vector<std::uint8_t> samples;
};

bool read_pgm(const std::filesystem::path& path, Grey& grey) {
  std::ifstream file{path, std::ios::binary};
  std::string magic;
  int most = 0;
  file >> magic >> grey.width >> grey.height >> most;
  if (!file || magic != "P5" || most != 255 || grey.width < 1 || grey.height < 1) return false;
  file.get();
  grey.samples.resize(static_cast<std::size_t>(grey.width) * static_cast<std::size_t>(grey.height));
  file.read(reinterpret_cast<char*>(grey.samples.data()),
            static_cast<std::streamsize>(grey.samples.size()));
  return static_cast<bool>(file);
}

/// Detectors whose every window comes out, or as many as pass a cascade that lets many through.
std::vector<Model> models() {
  std::vector<Model> all;
  for (const DenseKind kind : {DenseKind::rhog, DenseKind::cells, DenseKind::integral})
    all.push_back(dense_model(7, kind));
  for (const CascadeCase& c :
       {CascadeCase{"linear", 0, 0, false, {}}, CascadeCase{"trees", 0, 0, true, {}},
        CascadeCase{"soft", 0, 0, false, {}, true}})
    all.push_back(model_for(c, 2));
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
  if (argc != 2) {
    std::fputs("usage: hog_pictures FOLDER\n", stderr);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{argv[1]})
    if (entry.path().extension() == ".pgm") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  const Result<Context> context = Context::create(BackendChoice::automatic);
  if (!context) return 1;
  const bool cuda = context->backend() == Backend::cuda;
  Workers workers;
  std::uint64_t sum = 0xcbf29ce484222325U;
  std::int64_t windows = 0, wrong = 0;
  for (const auto& path : paths) {
    Grey grey;
    if (!read_pgm(path, grey)) {
      std::fprintf(stderr, "hog_pictures: %s: not an 8-bit PGM\n", path.c_str());
      return 2;
    }
    const Picture<Space::host> picture{{grey.samples.data(), grey.width, grey.height, grey.width},
                                       {}};
    for (const Model& model : models()) {
      const bool dense = std::holds_alternative<DenseModel>(model.kind);
      auto host = dense ? make_dense_cpu(workers, model, search(1.1, 8), grey.width, grey.height)
                        : make_cascade_cpu(workers, model, search(1.1, 8), grey.width, grey.height);
      if (!host) {
        std::fprintf(stderr, "hog_pictures: %s\n", describe(host.error()).c_str());
        return 1;
      }
      const auto expected = (*host)->search(picture, -1e9F);
      if (!expected) return 1;
      sum = mixed(sum, *expected);
      windows += expected->count;
      if (!cuda) continue;
      auto device = make_engine(*context, workers, model, search(1.1, 8), grey.width, grey.height);
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
        std::printf("%s: %s differs: %d windows on the CPU, %d on the GPU\n", path.c_str(),
                    model.name.c_str(), expected->count, hits->count);
      }
    }
  }
  std::printf("%zu pictures, %lld scores, %s, %lld differences, all together %016llx\n",
              paths.size(), static_cast<long long>(windows), cuda ? "CPU and CUDA" : "CPU alone",
              static_cast<long long>(wrong), static_cast<unsigned long long>(sum));
  return wrong == 0 ? 0 : 1;
}
