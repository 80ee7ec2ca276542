// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/view.hpp"

namespace kerb::hog {

/// A picture to search: always grey, and R G B planes for models that use colour.
template <Space S>
struct Picture {
  ImageView<S, const std::uint8_t> grey;
  PlanesView<S, const std::uint8_t> rgb;  ///< count 0: none
};

/// Whether a model needs the picture's R G B planes.
[[nodiscard]] bool needs_colour(const Model& model) noexcept;

/// A window that passed. Ordered by number, so that the list is the same on every backend.
struct Hit {
  std::int32_t window = 0;  ///< SearchPlan's number
  float score = 0;
};

/// Counts of one search, for benchmarks and model cards. Counting costs time: only on request.
struct Work {
  std::int64_t windows = 0, learners = 0;      ///< searched; evaluated
  std::vector<std::int64_t> windows_at_stage;  ///< cascade: how many windows reached stage i
};

/// One model, laid out for one picture size and one search, on one backend. Owns all memory it
/// needs; a search allocates nothing (on CUDA, once for every new address of a device picture, when
/// its graph is recorded). One thread at a time.
///
/// Every engine of a model gives the same hits, scores included, bit for bit: CPU, CUDA, any
/// machine. Histograms are integers; where there is floating point, the order of operations is
/// specified beside the arithmetic, products and sums are rounded one by one (no fused
/// multiply-add), and square root and division are IEEE 754's.
class Engine {
 public:
  virtual ~Engine() = default;
  /// All windows that score at least `threshold` (cascades: that pass every stage and then score at
  /// least it), by rising number. The list lives until the next search. Fails: invalid_argument
  /// (another picture size; no colour for a model that needs it), device, unsupported (a picture
  /// in the other space than the backend's).
  struct Hits {
    const Hit* data = nullptr;
    int count = 0;
  };
  virtual Result<Hits> search(const Picture<Space::host>& picture, float threshold) = 0;
  /// CUDA engines only; on their own stream, which it waits for. The picture must be complete.
  virtual Result<Hits> search(const Picture<Space::device>& picture, float threshold) = 0;

  [[nodiscard]] virtual const SearchPlan& plan() const noexcept = 0;
  [[nodiscard]] virtual const Model& model() const noexcept = 0;
  [[nodiscard]] virtual Backend backend() const noexcept = 0;
  [[nodiscard]] virtual std::size_t device_bytes() const noexcept = 0;  ///< 0 on the CPU
  /// Searches once more on the CPU, counting. Slow.
  virtual Result<Work> count_work(const Picture<Space::host>& picture) = 0;
};

/// The engine for the model and the context's backend. The context, and on the CPU the workers,
/// must outlive it. Fails: invalid_argument (model or settings), unsupported, io or device (no
/// memory).
Result<std::unique_ptr<Engine>> make_engine(const Context& context, Workers& workers, Model model,
                                            const SearchSettings& settings, int width, int height);

/// The makers make_engine() chooses from. For gpu/hog and its tests.
Result<std::unique_ptr<Engine>> make_dense_cpu(Workers& workers, Model model,
                                               const SearchSettings& settings, int width,
                                               int height);
Result<std::unique_ptr<Engine>> make_dense_cuda(const Context& context, Model model,
                                                const SearchSettings& settings, int width,
                                                int height);
Result<std::unique_ptr<Engine>> make_cascade_cpu(Workers& workers, Model model,
                                                 const SearchSettings& settings, int width,
                                                 int height);
Result<std::unique_ptr<Engine>> make_cascade_cuda(const Context& context, Model model,
                                                  const SearchSettings& settings, int width,
                                                  int height);

}  // namespace kerb::hog
