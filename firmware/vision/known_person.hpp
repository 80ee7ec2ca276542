// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"
#include "hal/vision.hpp"

/// The detector's self-test: a picture of a person that is built in.
namespace kerb {

inline constexpr int kKnownWidth = 96, kKnownHeight = 144;  ///< of the picture, pixels
/// Where the person is in it.
inline constexpr Detection kKnownPerson{24.4F, 22.7F, 47.5F, 97.7F, 0};

/// The picture, as one of a camera with this format: rgb24 or grey8.
[[nodiscard]] std::vector<std::uint8_t> known_picture(PixelFormat format);

/// Whether the model is one of ours that is known to find the person. Others may fail to without
/// being broken.
[[nodiscard]] bool knows_person(const hog::Model& model) noexcept;

/// Shows the picture to the model, on this context's backend, with the operators of the product.
/// Done: the person was found where they are. Fails: not_found (it was not), and as
/// Preparer::create(), HogDetector::create() and what they make.
Status find_known_person(const Context& context, Workers& workers, const hog::Model& model);

}  // namespace kerb
