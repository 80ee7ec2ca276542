// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/emd_bench.hpp"

#include <algorithm>
#include <array>

#include "gpu/emd/atlas_walk.hpp"
#include "gpu/emd/packed_simplex.hpp"
#include "gpu/emd/signatures.hpp"
#include "gpu/emd/transport.hpp"
#include "gpu/memory/buffer.hpp"
#include "tools/bench/contexts.hpp"
#include "tools/bench/random.hpp"

namespace kerb::bench {
namespace {

using emd::CostsView;
using emd::DistanceCounts;
using emd::Distances;
using emd::DistanceSettings;
using emd::Ground;
using emd::Signature;
using emd::SignaturesView;
using emd::Solver;

constexpr int kWindow = 11, kMass = kWindow * kWindow, kProblemsAtOnce = 16;
constexpr int kPapersBins = 11;  // beyond, the largest frames alone

/// Costs between 0 and 1 without any structure.
std::vector<float> random_costs(int bins) {
  Random random{static_cast<std::uint64_t>(bins)};
  std::vector<float> costs(static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins));
  for (float& c : costs) c = random.unit();
  return costs;
}

/// All ways to share out the mass are equally likely: no two of a frame are alike, nearly.
Signature random_signature(Random& random, int bins, int mass) {
  std::array<int, emd::kMaxBins> cuts{};
  for (int k = 0; k + 1 < bins; ++k) cuts[static_cast<std::size_t>(k)] = random.below(mass + 1);
  std::sort(cuts.begin(), cuts.begin() + bins - 1);
  cuts[static_cast<std::size_t>(bins - 1)] = mass;
  Signature made;
  for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k)
    made.bins[k] = static_cast<std::uint8_t>(cuts[k] - (k > 0 ? cuts[k - 1] : 0));
  return made;
}

/// The histogram of a whole picture, as a signature.
Result<Signature> target_of(const GreyPicture& picture, int bins, int mass) {
  std::array<std::uint32_t, 256> levels{};
  const ImageView<Space::host, const std::uint8_t> view{picture.samples.data(), picture.width,
                                                        picture.height, picture.width};
  if (Status ok = emd::count_levels(view, levels); !ok) return ok.error();
  std::array<float, emd::kMaxBins> weights{};
  const emd::GreyBins bin = emd::even_bins(bins);
  for (std::size_t g = 0; g < 256; ++g) weights[bin[g]] += static_cast<float>(levels[g]);
  return emd::quantise(weights.data(), bins, mass);
}

class EmdRunner {
 public:
  EmdRunner(const Clock& clock, const EmdBench& bench)
      : clock_{clock}, bench_{bench}, workers_{bench.threads} {}

  Result<std::vector<EmdRow>> run() {
    if (bench_.picture.width < (bench_.small ? 64 : 1280) ||
        bench_.picture.height < (bench_.small ? 48 : 720) || bench_.target.width < 1)
      return Error{Errc::invalid_argument, 0, "bench emd", "pictures: at least 1280 x 720"};
    if (Status ok = contexts_.open(bench_.cuda); !ok) return ok.error();
    for (const int bins : bench_.bins) {
      if (Status ok = all_of(bins); !ok) return ok.error();
      tell();
    }
    return std::move(rows_);
  }

 private:
  struct Size {
    int width, height;
    [[nodiscard]] std::size_t area() const {
      return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
  };
  struct Frame {
    std::string what;
    Size size;
    std::vector<Signature> signatures;
    std::vector<std::uint32_t> expected;  // by the CPU
  };

  [[nodiscard]] std::vector<Size> sizes() const {
    if (bench_.small) return {{64, 48}};
    std::vector<Size> all{{1280, 720}};
    if (bench_.picture.width >= 1920 && bench_.picture.height >= 1080) all.push_back({1920, 1080});
    return all;
  }
  [[nodiscard]] const Context& cpu() const { return *contexts_.cpu; }
  [[nodiscard]] const Context& cuda() const { return *contexts_.cuda; }

  /// Hands on the rows that nobody has been told of.
  void tell() {
    for (; told_ < rows_.size(); ++told_)
      if (bench_.on_row) bench_.on_row(rows_[told_]);
  }
  void say(const std::string& what) {
    tell();
    if (bench_.on_progress) bench_.on_progress(what);
  }

  /// The number of bins that has all the rest too: the paper's most, where it is among them.
  [[nodiscard]] int fullest() const {
    int most = 0;
    for (const int bins : bench_.bins)
      if (bins <= kPapersBins) most = std::max(most, bins);
    return most > 0 ? most : bench_.bins.front();
  }

  Status all_of(int bins) {
    const std::vector<float> costs = random_costs(bins);
    const Result<Ground> ground = Ground::create(bins, costs.data(), costs.size());
    if (!ground) return ground.error();
    const Result<Signature> target = target_of(bench_.target, bins, kMass);
    if (!target) return target.error();
    if (bench_.cpu && bins == fullest())
      if (Status ok = solvers(*ground, costs); !ok) return ok;
    if (!bench_.frames) return Done{};
    std::vector<Frame> frames;
    for (const Size size : sizes()) {
      if (bins > kPapersBins && size.area() < sizes().back().area()) continue;
      if (Status ok = add_picture(size, bins, frames); !ok) return ok;
      Random random{7};
      Frame any{"random", size, {}, {}};
      for (std::size_t i = 0; i < size.area(); ++i)
        any.signatures.push_back(random_signature(random, bins, kMass));
      frames.push_back(std::move(any));
    }
    if (Status ok = compare(*ground, Solver::automatic, kMass, *target, frames); !ok) return ok;
    if (bench_.cuda && bins <= kPapersBins) {
      std::vector<Frame> largest{frames.end()[-2], frames.end()[-1]};
      if (Status ok = compare(*ground, Solver::packed_simplex, kMass, *target, largest); !ok)
        return ok;
    }
    if (bins != fullest()) return Done{};
    if (bench_.cuda) {
      if (Status ok = hard_cases(*ground, *target, frames.back()); !ok) return ok;
      for (const bool adaptive : {true, false})
        if (Status ok = new_frames(*ground, *target, frames.back(), adaptive); !ok) return ok;
    }
    if (Status ok = partial(*ground, frames.end()[-2]); !ok) return ok;
    const Result<Ground> line = Ground::line(bins);
    if (!line) return line.error();
    return compare(*line, Solver::automatic, kMass, *target, frames);
  }

  /// Signatures and a target that differ in mass: the picture's against two thirds of theirs, and
  /// random ones of half as much to twice as much.
  Status partial(const Ground& ground, const Frame& picture) {
    const int bins = ground.bins();
    const Result<Signature> target = target_of(bench_.target, bins, kMass * 2 / 3);
    if (!target) return target.error();
    std::vector<Frame> frames{{"picture, partial", picture.size, picture.signatures, {}},
                              {"random, partial", picture.size, {}, {}}};
    Random random{9};
    for (std::size_t i = 0; i < picture.size.area(); ++i)
      frames[1].signatures.push_back(
          random_signature(random, bins, kMass / 2 + random.below(kMass * 3 / 2)));
    return compare(ground, Solver::automatic, 0, *target, frames);
  }

  Status add_picture(Size size, int bins, std::vector<Frame>& frames) {
    Frame made{"picture", size, std::vector<Signature>(size.area()), {}};
    const Status ok =
        emd::cpu::window_signatures(workers_, grey(size), window(bins),
                                    {made.signatures.data(), size.width, size.height, size.width});
    frames.push_back(std::move(made));
    return ok;
  }
  static emd::WindowSettings window(int bins) {
    emd::WindowSettings settings;
    settings.bins = bins;
    settings.window = kWindow;
    settings.levels = emd::even_bins(bins);
    return settings;
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> grey(Size size) const {
    return {bench_.picture.samples.data(), size.width, size.height, bench_.picture.width};
  }

  // --- solvers by themselves, on one core

  /// One of them: `all` solves `count` problems.
  struct Racer {
    std::string name;
    std::size_t count;
    std::function<Status()> all;
    std::vector<double> took = {};  // ms
  };

  Status solvers(const Ground& ground, const std::vector<float>& costs) {
    const int bins = ground.bins(), mass = kMass;
    say("solvers, " + std::to_string(bins) + " bins");
    Random random{3};
    const Signature target = random_signature(random, bins, mass);
    std::vector<Signature> all(bench_.problems);
    const auto renew = [&] {
      for (Signature& s : all) s = random_signature(random, bins, mass);
    };
    renew();
    std::vector<std::uint32_t> out(all.size());
    Result<emd::Atlas> atlas{Error{}};
    Racer built{"atlas, built", 1, [&]() -> Status {
                  atlas = emd::Atlas::build(ground);
                  return atlas ? Status{Done{}} : Status{atlas.error()};
                }};
    if (Status ok = race(built); !ok) return ok;
    const emd::TargetSums sums{bins, target};
    emd::WalkStarts starts{bins, atlas->trees(), mass};
    const auto walked = [&]() -> Status {
      emd::walk(*atlas, ground, sums, starts, all.data(), nullptr, all.size(), out.data());
      return Done{};
    };
    Racer first{"atlas, first", all.size(), walked};
    if (Status ok = race(first); !ok) return ok;
    emd::Transport transport;
    emd::PackedSimplex packed;
    const std::size_t few = all.size() / 10 + 1;
    double total = 0;
    std::vector<Racer> racers{{"atlas", all.size(), walked},
                              {"network", all.size(),
                               [&]() -> Status {
                                 for (std::size_t i = 0; i < all.size(); ++i)
                                   out[i] = transport.solve(ground, all[i], target);
                                 return Done{};
                               }},
                              {"packed", few, [&]() -> Status {
                                 for (std::size_t i = 0; i < few; ++i)
                                   out[i] = packed.solve(ground, all[i], target);
                                 return Done{};
                               }}};
    if (bench_.rival)
      racers.push_back(
          {bench_.rival_name, few, [&]() -> Status {
             for (std::size_t i = 0; i < few; ++i)
               total += bench_.rival(bins, all[i].bins.data(), target.bins.data(), costs.data());
             return total >= 0 ? Status{Done{}} : Error{Errc::damaged, 0, "bench emd", "negative"};
           }});
    // Side by side, so that what else the machine does slows all of them, and each round with
    // others than those the starts have been learned from.
    for (int round = 0; round < bench_.repeats; ++round) {
      renew();
      for (Racer& racer : racers)
        if (Status ok = race(racer); !ok) return ok;
    }
    for (const Racer& racer : {built, first}) add_solver(racer, ground);
    for (const Racer& racer : racers) add_solver(racer, ground);
    return Done{};
  }

  /// Once, without rounds to warm up.
  Status race(Racer& racer) const {
    const Nanos start = clock_.now();
    if (Status ok = racer.all(); !ok) return ok;
    racer.took.push_back(std::chrono::duration<double, std::milli>{clock_.now() - start}.count());
    return Done{};
  }

  void add_solver(Racer racer, const Ground& ground) {
    std::vector<double>& took = racer.took;
    std::sort(took.begin(), took.end());
    EmdRow row;
    row.what = "solver";
    row.bins = ground.bins();
    row.solver = racer.name;
    row.backend = "cpu";
    row.threads = 1;
    row.counts.solved = static_cast<std::uint32_t>(racer.count);
    row.times = {took[took.size() / 2], took.front(), took.back()};
    row.rate = static_cast<double>(racer.count) / row.times.median_ms * 1e3;
    rows_.push_back(std::move(row));
  }

  // --- frames

  static DistanceSettings settings_for(Solver solver, int mass) {
    DistanceSettings settings;
    settings.mass = mass;
    settings.solver = solver;
    return settings;
  }

  Status compare(const Ground& ground, Solver solver, int mass, const Signature& target,
                 std::vector<Frame>& frames) {
    const std::size_t most = sizes().back().area();
    const DistanceSettings settings = settings_for(solver, mass);
    if (solver == Solver::automatic) {
      Result<std::unique_ptr<Distances>> made =
          Distances::create(cpu(), workers_, ground, settings, most);
      if (!made) return made.error();
      if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok;
      for (Frame& frame : frames)
        if (Status ok = on_cpu(**made, ground, frame); !ok) return ok;
    }
    if (!bench_.cuda) return Done{};
    Result<std::unique_ptr<Distances>> made =
        Distances::create(cuda(), workers_, ground, settings, most);
    if (!made) return made.error();
    if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok;
    for (Frame& frame : frames)
      if (Status ok = on_cuda(**made, ground, frame); !ok) return ok;
    return Done{};
  }

  [[nodiscard]] EmdRow row_of(const Distances& distances, const Ground& ground,
                              const Frame& frame) const {
    EmdRow row;
    row.what = frame.what;
    if (ground.kind() != emd::GroundKind::general)
      row.what += std::string{", "} + name_of(ground.kind());
    row.width = frame.size.width;
    row.height = frame.size.height;
    row.bins = ground.bins();
    row.solver = name_of(distances.solver());
    row.backend = name_of(distances.backend());
    row.threads = distances.backend() == Backend::cpu ? workers_.count() : 0;
    return row;
  }

  /// Times `frames` frames at once and adds the row.
  Status timed(EmdRow row, int frames, int repeats, Distances& distances,
               const std::function<Status()>& all) {
    const Result<std::vector<Times>> times =
        contest(clock_, {{row.what, row.backend, all}}, repeats);
    if (!times) return times.error();
    const double n = frames;
    row.times = {(*times)[0].median_ms / n, (*times)[0].best_ms / n, (*times)[0].worst_ms / n};
    row.rate = 1e3 / row.times.median_ms;
    const Result<DistanceCounts> counts = distances.counts();
    if (!counts) return counts.error();
    row.counts = *counts;
    rows_.push_back(std::move(row));
    return Done{};
  }

  Status on_cpu(Distances& distances, const Ground& ground, Frame& frame) {
    frame.expected.assign(frame.signatures.size(), 0);
    const SignaturesView<Space::host> in{frame.signatures.data(), frame.signatures.size()};
    const CostsView<Space::host> out{frame.expected.data(), frame.expected.size()};
    EmdRow row = row_of(distances, ground, frame);
    if (!bench_.cpu) {
      if (Status ok = distances.forget(); !ok) return ok;
      return distances.run(in, out);
    }
    say(frame.what + " on the CPU, " + std::to_string(ground.bins()) + " bins");
    row.cache = "cold";
    if (Status timing = timed(row, 1, std::min(bench_.repeats, 3), distances,
                              [&] {
                                if (Status done = distances.forget(); !done) return done;
                                return distances.run(in, out);
                              });
        !timing)
      return timing;
    row.cache = "warm";
    return timed(row, 1, std::min(bench_.repeats, 3), distances,
                 [&] { return distances.run(in, out); });
  }

  Status on_cuda(Distances& distances, const Ground& ground, const Frame& frame) {
    say(frame.what + " on CUDA, " + std::to_string(ground.bins()) + " bins, " +
        name_of(distances.solver()));
    const std::size_t count = frame.signatures.size();
    Result<DeviceBuffer<Signature>> keys = DeviceBuffer<Signature>::create(cuda(), count);
    if (!keys) return keys.error();
    Result<DeviceBuffer<std::uint32_t>> costs = DeviceBuffer<std::uint32_t>::create(cuda(), count);
    if (!costs) return costs.error();
    const StreamRef stream = cuda().stream();
    if (Status ok = copy_to_device(stream, keys->device_data(), frame.signatures.data(), count);
        !ok)
      return ok;
    EmdRow row = row_of(distances, ground, frame);
    const auto queue = [&] {
      return distances.run(SignaturesView<Space::device>{keys->device_data(), count},
                           CostsView<Space::device>{costs->device_data(), count});
    };
    for (const bool cold : {true, false}) {
      row.cache = cold ? "cold" : "warm";
      const int batch = distances.solver() == Solver::packed_simplex ? 2 : kProblemsAtOnce;
      if (Status timing = timed(row, batch, bench_.repeats, distances,
                                [&]() -> Status {
                                  for (int i = 0; i < batch; ++i) {
                                    if (cold)
                                      if (Status ok = distances.forget(); !ok) return ok;
                                    if (Status ok = queue(); !ok) return ok;
                                  }
                                  return wait(stream);
                                });
          !timing)
        return timing;
      std::vector<std::uint32_t> actual(count);
      if (Status ok = copy_to_host(stream, actual.data(), costs->device_data(), count); !ok)
        return ok;
      if (Status ok = wait(stream); !ok) return ok;
      rows_.back().equals_cpu = actual == frame.expected;
    }
    if (distances.solver() == Solver::packed_simplex) return Done{};
    if (frame.what != "picture" && frame.what != "random") return Done{};
    if (Status ok = with_planes(distances, row, frame); !ok) return ok;
    if (frame.what != "picture") return Done{};
    return with_picture(distances, row, frame, *keys, *costs);
  }

  /// Signatures as planes of bytes from pinned memory, costs back into it, two frames at once; the
  /// last plane is what is missing of the mass.
  Status with_planes(Distances& distances, EmdRow row, const Frame& frame) {
    const std::size_t count = frame.signatures.size();
    const int planes = row.bins - 1;
    Result<HostBuffer<std::uint8_t>> in = HostBuffer<std::uint8_t>::create(
        cuda(), Use::camera_input, count * static_cast<std::size_t>(planes));
    if (!in) return in.error();
    std::vector<HostBuffer<std::uint32_t>> out;
    for (int i = 0; i < Distances::kAhead; ++i) {
      Result<HostBuffer<std::uint32_t>> made =
          HostBuffer<std::uint32_t>::create(cuda(), Use::result, count);
      if (!made) return made.error();
      out.push_back(std::move(*made));
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(planes); ++k)
      for (std::size_t i = 0; i < count; ++i) (*in)[k * count + i] = frame.signatures[i].bins[k];
    row.transfers = "planes";
    for (const bool cold : {true, false}) {
      row.cache = cold ? "cold" : "warm";
      if (Status timing = timed(
              row, kProblemsAtOnce, bench_.repeats, distances,
              [&]() -> Status {
                for (int i = 0; i < kProblemsAtOnce; ++i) {
                  if (i >= Distances::kAhead)
                    if (Status ok = distances.finish(); !ok) return ok;
                  if (cold)
                    if (Status ok = distances.forget(); !ok) return ok;
                  if (Status ok = distances.begin(
                          {in->data(), planes, count, count},
                          {out[static_cast<std::size_t>(i % Distances::kAhead)].data(), count});
                      !ok)
                    return ok;
                }
                for (int i = 0; i < std::min(kProblemsAtOnce, Distances::kAhead); ++i)
                  if (Status ok = distances.finish(); !ok) return ok;
                return Done{};
              });
          !timing)
        return timing;
      rows_.back().equals_cpu =
          std::equal(frame.expected.begin(), frame.expected.end(), out[0].data());
    }
    return Done{};
  }

  /// The grey picture from pinned memory, signatures made on the device, costs back.
  Status with_picture(Distances& distances, EmdRow row, const Frame& frame,
                      const DeviceBuffer<Signature>& keys,
                      const DeviceBuffer<std::uint32_t>& costs) {
    const Size size = frame.size;
    const std::size_t count = size.area();
    Result<HostBuffer<std::uint8_t>> in =
        HostBuffer<std::uint8_t>::create(cuda(), Use::camera_input, count);
    Result<HostBuffer<std::uint32_t>> out =
        HostBuffer<std::uint32_t>::create(cuda(), Use::result, count);
    Result<DeviceBuffer<std::uint8_t>> picture = DeviceBuffer<std::uint8_t>::create(cuda(), count);
    if (!in) return in.error();
    if (!out) return out.error();
    if (!picture) return picture.error();
    for (int y = 0; y < size.height; ++y)
      std::copy_n(grey(size).data + y * grey(size).row_stride, size.width,
                  in->data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width));
    const StreamRef stream = cuda().stream();
    const emd::WindowSettings windows = window(row.bins);
    row.transfers = "picture";
    for (const bool cold : {true, false}) {
      row.cache = cold ? "cold" : "warm";
      const auto queue = [&]() -> Status {
        if (cold)
          if (Status ok = distances.forget(); !ok) return ok;
        const std::uint8_t* from = in->data();
        if (Status ok = copy_to_device(stream, picture->device_data(), from, count); !ok) return ok;
        if (Status ok = emd::window_signatures(
                stream, {picture->device_data(), size.width, size.height, size.width}, windows,
                {keys.device_data(), size.width, size.height, size.width});
            !ok)
          return ok;
        if (Status ok = distances.run(SignaturesView<Space::device>{keys.device_data(), count},
                                      CostsView<Space::device>{costs.device_data(), count});
            !ok)
          return ok;
        const std::uint32_t* made = costs.device_data();
        return copy_to_host(stream, out->data(), made, count);
      };
      if (Status timing = timed(row, kProblemsAtOnce, bench_.repeats, distances,
                                [&]() -> Status {
                                  for (int i = 0; i < kProblemsAtOnce; ++i)
                                    if (Status ok = queue(); !ok) return ok;
                                  return wait(stream);
                                });
          !timing)
        return timing;
      rows_.back().equals_cpu =
          std::equal(frame.expected.begin(), frame.expected.end(), out->data());
    }
    return Done{};
  }

  // --- what is meant to hurt

  Status hard_cases(const Ground& ground, const Signature& target, const Frame& frame) {
    struct Case {
      const char* name;
      int hash_bits;
      std::int64_t cache_entries;
      bool duplicates, new_target;
    };
    for (const Case& c :
         {Case{"random, cache of 4096", 32, 4096, true, false},
          Case{"random, no cache, no duplicates", 32, 0, false, false},
          Case{"random, all hash alike", 0, DistanceSettings::kAutomaticCache, true, false},
          Case{"random, 8 bits of hash", 8, DistanceSettings::kAutomaticCache, true, false},
          Case{"random, a new target each frame", 32, DistanceSettings::kAutomaticCache, true,
               true}}) {
      say(c.name);
      DistanceSettings settings = settings_for(Solver::automatic, kMass);
      settings.hash_bits = c.hash_bits;
      settings.cache_entries = c.cache_entries;
      settings.find_duplicates = c.duplicates;
      const std::size_t count = frame.signatures.size();
      Result<std::unique_ptr<Distances>> made =
          Distances::create(cuda(), workers_, ground, settings, count);
      if (!made) return made.error();
      if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok;
      Result<DeviceBuffer<Signature>> keys = DeviceBuffer<Signature>::create(cuda(), count);
      Result<DeviceBuffer<std::uint32_t>> costs =
          DeviceBuffer<std::uint32_t>::create(cuda(), count);
      if (!keys) return keys.error();
      if (!costs) return costs.error();
      const StreamRef stream = cuda().stream();
      if (Status ok = copy_to_device(stream, keys->device_data(), frame.signatures.data(), count);
          !ok)
        return ok;
      EmdRow row = row_of(**made, ground, frame);
      row.what = c.name;
      row.cache = c.new_target ? "cold" : "warm";
      Random random{5};
      Signature other = target;
      const auto queue = [&]() -> Status {
        if (c.new_target) {
          other = random_signature(random, ground.bins(), kMass);
          if (Status ok = (*made)->set_targets(&other, 1); !ok) return ok;
        }
        return (*made)->run(SignaturesView<Space::device>{keys->device_data(), count},
                            CostsView<Space::device>{costs->device_data(), count});
      };
      if (Status timing = timed(row, kProblemsAtOnce, bench_.repeats, **made,
                                [&]() -> Status {
                                  for (int i = 0; i < kProblemsAtOnce; ++i)
                                    if (Status ok = queue(); !ok) return ok;
                                  return wait(stream);
                                });
          !timing)
        return timing;
      if (c.new_target) {
        if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok;
        if (Status ok = (*made)->run(SignaturesView<Space::device>{keys->device_data(), count},
                                     CostsView<Space::device>{costs->device_data(), count});
            !ok)
          return ok;
      }
      std::vector<std::uint32_t> actual(count);
      if (Status ok = copy_to_host(stream, actual.data(), costs->device_data(), count); !ok)
        return ok;
      if (Status ok = wait(stream); !ok) return ok;
      rows_.back().equals_cpu = actual == frame.expected;
    }
    return Done{};
  }

  /// Frames that have nothing in common, with each other or within, each shown once: all ways to
  /// turn and mirror the bins of one.
  Status new_frames(const Ground& ground, const Signature& target, const Frame& frame,
                    bool adaptive) {
    const auto bins = static_cast<std::size_t>(ground.bins());
    const std::size_t count = frame.signatures.size(), most = 2 * bins;
    DistanceSettings settings = settings_for(Solver::automatic, kMass);
    settings.adaptive = adaptive;
    Result<std::unique_ptr<Distances>> made =
        Distances::create(cuda(), workers_, ground, settings, count);
    if (!made) return made.error();
    if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok;
    Result<DeviceBuffer<Signature>> keys = DeviceBuffer<Signature>::create(cuda(), most * count);
    Result<DeviceBuffer<std::uint32_t>> costs = DeviceBuffer<std::uint32_t>::create(cuda(), count);
    if (!keys) return keys.error();
    if (!costs) return costs.error();
    const StreamRef stream = cuda().stream();
    std::vector<Signature> turned(count);
    const auto turn = [&](std::size_t by) {
      std::array<std::size_t, emd::kMaxBins> from{};
      for (std::size_t k = 0; k < bins; ++k)
        from[k] = by < bins ? (k + by) % bins : bins - 1 - (k + by) % bins;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < bins; ++k)
          turned[i].bins[k] = frame.signatures[i].bins[from[k]];
    };
    EmdRow row = row_of(**made, ground, frame);
    row.what = adaptive ? "random, every frame new" : "random, every frame new, not adaptive";
    say(row.what);
    constexpr int kWarmUp = 2;  // contest()'s
    const int repeats = std::clamp(bench_.repeats, 1, static_cast<int>(most) - kWarmUp);
    const int batch = static_cast<int>(most) / (repeats + kWarmUp);
    const int shown = batch * (repeats + kWarmUp);
    for (std::size_t f = 0; f < static_cast<std::size_t>(shown); ++f) {
      turn(f);
      if (Status ok = copy_to_device(stream, keys->device_data() + f * count, turned.data(), count);
          !ok)
        return ok;
      if (Status ok = wait(stream); !ok) return ok;
    }
    std::size_t next = 0;
    row.cache = "cold";
    if (Status timing = timed(
            row, batch, repeats, **made,
            [&]() -> Status {
              for (int i = 0; i < batch; ++i, ++next)
                if (Status ok = (*made)->run(
                        SignaturesView<Space::device>{keys->device_data() + next * count, count},
                        CostsView<Space::device>{costs->device_data(), count});
                    !ok)
                  return ok;
              return wait(stream);
            });
        !timing)
      return timing;
    std::vector<std::uint32_t> actual(count), expected(count);
    if (Status ok = copy_to_host(stream, actual.data(), costs->device_data(), count); !ok)
      return ok;
    if (Status ok = wait(stream); !ok) return ok;
    turn(next - 1);
    Result<std::unique_ptr<Distances>> on_cpu =
        Distances::create(cpu(), workers_, ground, settings, count);
    if (!on_cpu) return on_cpu.error();
    if (Status ok = (*on_cpu)->set_targets(&target, 1); !ok) return ok;
    if (Status ok = (*on_cpu)->run(SignaturesView<Space::host>{turned.data(), count},
                                   CostsView<Space::host>{expected.data(), count});
        !ok)
      return ok;
    rows_.back().equals_cpu = actual == expected;
    return Done{};
  }

  const Clock& clock_;
  const EmdBench& bench_;
  Workers workers_;
  Contexts contexts_;
  std::vector<EmdRow> rows_;
  std::size_t told_ = 0;
};

}  // namespace

Result<std::vector<EmdRow>> bench_emd(const Clock& clock, const EmdBench& bench) {
  return EmdRunner{clock, bench}.run();
}

}  // namespace kerb::bench
