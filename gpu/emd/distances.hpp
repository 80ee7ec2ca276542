// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gpu/emd/ground.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/view.hpp"

namespace kerb::emd {

/// How a distance is computed. All give the same numbers.
enum class Solver : std::uint8_t {
  automatic,        ///< the fastest of these that can: closed form, atlas, then the last
  closed_form,      ///< for grounds of a kind other than general, and equal masses
  atlas,            ///< a walk through all optimal trees (atlas.hpp); equal masses, up to 12 bins
                    ///< (automatic: up to 11 on the CPU)
  packed_simplex,   ///< the paper's (packed_simplex.hpp)
  network_simplex,  ///< transport.hpp; CPU only
};
[[nodiscard]] const char* name_of(Solver solver) noexcept;
/// The inverse. False for an unknown name; `solver` is then unchanged.
bool parse(std::string_view name, Solver& solver) noexcept;

struct DistanceSettings {
  /// The sum of the bins of every signature and target, 1..255. 0: each has its own, 1..255; the
  /// mass of the lighter side is then moved, and the rest costs nothing (Rubner's partial
  /// matching).
  int mass = kMaxMass;
  Solver solver = Solver::automatic;
  /// Results of earlier frames that are kept, rounded down to a power of two; 0: none;
  /// kAutomaticCache: four for each signature of a frame, at most 8 million on CUDA (32 bytes each)
  /// and 2 million on the CPU (64).
  std::int64_t cache_entries = kAutomaticCache;
  bool find_duplicates = true;  ///< within a frame
  /// On CUDA: where the previous frame had hardly any hits in the cache or duplicates, only one
  /// signature in 16 is looked up, until more of these are found. Changes how many are solved,
  /// never a result.
  bool adaptive = true;
  /// For tests of hash collisions: how many bits of the hash are used, 0..32.
  int hash_bits = 32;

  static constexpr std::int64_t kAutomaticCache = -1;
};

/// The cost of a signature whose mass is not what it must be.
inline constexpr std::uint32_t kNoDistance = 0xFFFFFFFFU;
inline constexpr int kMaxTargets = 8;

template <Space S>
struct SignaturesView {
  const Signature* data = nullptr;
  std::size_t count = 0;
};
/// The same as planes of bytes, bin by bin: plane k at data + k * stride. With a fixed mass the
/// last bin may be left out: it is what is missing.
struct BytePlanes {
  const std::uint8_t* data = nullptr;
  int planes = 0;  ///< bins, or bins - 1
  std::size_t stride = 0;
  std::size_t count = 0;
};
/// Costs to target t at data + t * stride, one a signature: whole numbers of mass times the
/// ground's unit. The distance is cost * unit / mass moved.
template <Space S>
struct CostsView {
  std::uint32_t* data = nullptr;
  std::size_t stride = 0;
};

/// Counts of a frame's signatures.
struct DistanceCounts {
  std::uint32_t refused = 0;     ///< not of the right mass, or bytes beyond the bins
  std::uint32_t cached = 0;      ///< known from an earlier frame
  std::uint32_t duplicates = 0;  ///< of another one of this frame
  std::uint32_t solved = 0;
};

/// The distance of every signature of a frame to every target, for one ground distance, on one
/// backend. In the paper's three steps: look up results of earlier frames; choose one of equal
/// signatures within the frame; solve it. Closed forms are faster than a look-up, and are computed
/// directly.
///
/// Results are exact, and the same on every machine and with every solver, whatever is in the
/// cache: entries are compared by the whole signature, never by its hash alone; a change of targets
/// clears them; in a full cache the oldest of four entries is replaced, and where all four are of
/// this frame the new one is not kept. A search for duplicates that meets more than 64 other
/// signatures is given up, and the signature is solved by itself.
///
/// Owns all memory; nothing is allocated after create(), except by a set_targets() of more targets
/// than there ever were, and on CUDA by the first frames that come from the host. One thread at a
/// time.
class Distances {
 public:
  /// For frames of up to `most` signatures. The context, and on the CPU the workers, must outlive
  /// it. Fails: invalid_argument (settings), unsupported (a solver that cannot do this ground or
  /// mass, or not on this backend), io or device (no memory).
  static Result<std::unique_ptr<Distances>> create(const Context& context, Workers& workers,
                                                   const Ground& ground,
                                                   const DistanceSettings& settings,
                                                   std::size_t most);
  Distances() = default;
  Distances(const Distances&) = delete;
  Distances& operator=(const Distances&) = delete;
  virtual ~Distances() = default;

  /// The targets from the next frame on, 1..kMaxTargets. Clears all cached results unless the
  /// targets are the same as before. Fails: invalid_argument (number, mass, bins), device.
  virtual Status set_targets(const Signature* targets, int count) = 0;

  /// Done on return. Fails: invalid_argument (no targets, too many signatures, no memory), device.
  virtual Status run(const SignaturesView<Space::host>& signatures,
                     const CostsView<Space::host>& costs) = 0;
  /// Queued on the context's stream. Fails: as above; unsupported on the CPU.
  virtual Status run(const SignaturesView<Space::device>& signatures,
                     const CostsView<Space::device>& costs) = 0;

  /// Planes in and costs out while the previous frame is still being computed: up to kAhead frames
  /// may be begun and not finished. The arguments must stay valid until their frame is finished;
  /// copies are only fast from and to pinned memory (HostBuffer). On the CPU, begin() does all.
  /// Fails: invalid_argument (also for one frame too many, or none to finish), device.
  virtual Status begin(const BytePlanes& planes, const CostsView<Space::host>& costs) = 0;
  virtual Status finish() = 0;  ///< waits for the oldest frame that has begun
  static constexpr int kAhead = 2;

  /// Of the last frame. On CUDA, waits for the stream. Fails: device.
  virtual Result<DistanceCounts> counts() = 0;
  /// Clears all cached results.
  virtual Status forget() = 0;

  [[nodiscard]] virtual Backend backend() const noexcept = 0;
  [[nodiscard]] virtual Solver solver() const noexcept = 0;      ///< never automatic
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;  ///< memory held, all spaces
};

/// The solver that `automatic` selects on a backend, or the requested one where it is able. Fails:
/// unsupported, invalid_argument (mass).
Result<Solver> choose_solver(Backend backend, const Ground& ground,
                             const DistanceSettings& settings);

/// The makers create() chooses from. For gpu/emd alone: settings have been checked.
Result<std::unique_ptr<Distances>> make_distances_cpu(Workers& workers, const Ground& ground,
                                                      const DistanceSettings& settings,
                                                      Solver solver, std::size_t most);
Result<std::unique_ptr<Distances>> make_distances_cuda(const Context& context, const Ground& ground,
                                                       const DistanceSettings& settings,
                                                       Solver solver, std::size_t most);

}  // namespace kerb::emd
