// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/memory/workers.hpp"

/// The samples of all levels, on the CPU. For gpu/flow alone.
namespace kerb::flow::lk {

using Sample = std::int16_t;

[[nodiscard]] std::size_t pyramid_scratch(const Plan& plan, const Workers& workers) noexcept;

/// Of both pictures; `pictures` hold plan.samples each, `scratch` what pyramid_scratch() says. With
/// `parts`, two lists, only those of each level; see find_parts().
void make_pyramids(Workers& workers, const Plan& plan, const Picture<Space::host>& previous,
                   const Picture<Space::host>& next, std::vector<Sample> (&pictures)[2],
                   std::vector<std::uint16_t>& scratch, const std::vector<Rect>* parts = nullptr);

/// ... of one; the same samples.
void make_pyramid(Workers& workers, const Plan& plan, const Picture<Space::host>& picture,
                  std::vector<Sample>& samples, std::vector<std::uint16_t>& scratch);

}  // namespace kerb::flow::lk
