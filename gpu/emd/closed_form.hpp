// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/emd/ground.hpp"
#include "gpu/image/both.hpp"

#if defined(__CUDA_ARCH__) || defined(__clang__)
#define KERB_UNROLL_BINS _Pragma("unroll")
#elif defined(__CUDACC__)
#define KERB_UNROLL_BINS  // the host's side of a kernel's source: neither compiler reads the
                          // other's
#else
#define KERB_UNROLL_BINS _Pragma("GCC unroll 16")
#endif

/// Distances that need no solver, because of how the bins lie. Both sides have the same mass. For
/// gpu/emd alone.
namespace kerb::emd {

struct ClosedForm {
  GroundKind kind = GroundKind::general;
  int bins = 0;
  std::int32_t steps[kMaxBins] = {};  ///< from bin k to bin k + 1
};

/// kind general when there is none.
[[nodiscard]] inline ClosedForm closed_form(const Ground& ground) noexcept {
  ClosedForm form;
  form.kind = ground.kind();
  form.bins = ground.bins();
  for (int k = 0; k + 1 < ground.bins(); ++k) form.steps[k] = ground.cost(k, k + 1);
  return form;
}

/// `p(k)` and `q(k)` are the masses of bin k. Unrolled for 16 bins, so that what a kernel keeps in
/// arrays stays in registers.
///   line     what is too much up to a bin must be carried one step further, and all of it
///   circle   the same, less what is sent round the other way: best is the median
///   flat     all that is too much is moved once
template <typename P, typename Q>
KERB_BOTH std::uint32_t closed_form_cost(const ClosedForm& form, const P& p, const Q& q) noexcept {
  std::int32_t excess[kMaxBins];
  std::int32_t sum = 0;
  std::uint32_t cost = 0;
  KERB_UNROLL_BINS
  for (int k = 0; k < kMaxBins; ++k) {
    const std::int32_t more = k < form.bins ? p(k) - q(k) : 0;
    sum += more;
    excess[k] = sum;
    if (form.kind == GroundKind::line)
      cost += static_cast<std::uint32_t>(sum < 0 ? -sum : sum) *
              static_cast<std::uint32_t>(form.steps[k]);
    if (form.kind == GroundKind::flat) cost += static_cast<std::uint32_t>(more > 0 ? more : 0);
  }
  if (form.kind == GroundKind::line) return cost;
  const auto step = static_cast<std::uint32_t>(form.steps[0]);
  if (form.kind == GroundKind::flat) return cost * step;
  std::uint32_t least = 0xFFFFFFFFU;
  KERB_UNROLL_BINS
  for (int m = 0; m < kMaxBins; ++m) {
    std::uint32_t around = 0;
    KERB_UNROLL_BINS
    for (int k = 0; k < kMaxBins; ++k) {
      const std::int32_t off = excess[k] - excess[m];
      if (k < form.bins) around += static_cast<std::uint32_t>(off < 0 ? -off : off);
    }
    if (m < form.bins && around < least) least = around;
  }
  return least * step;
}

struct BinsOf {
  const std::uint8_t* bins;
  KERB_BOTH std::int32_t operator()(int k) const noexcept { return bins[k]; }
};
[[nodiscard]] inline std::uint32_t closed_form_cost(const ClosedForm& form, const Signature& p,
                                                    const Signature& q) noexcept {
  return closed_form_cost(form, BinsOf{p.bins.data()}, BinsOf{q.bins.data()});
}

}  // namespace kerb::emd
