// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/kerblab/spectral/picture.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// How signatures are made: options of `spectral` and `eval spectral`, which have --cube already.
void add_signature_options(CLI::App& command, BandSource& source, SignatureSettings& settings);

/// Whether a pixel lies in the box.
[[nodiscard]] bool within(const emd::Box& box, int x, int y) noexcept;
/// Whether it lies in the ellipse with the box's middle and 0.77 of its sides: what is the target
/// most likely, since corners of a person's box show what is behind.
[[nodiscard]] bool in_ellipse(const emd::Box& box, int x, int y) noexcept;

}  // namespace kerb::lab
