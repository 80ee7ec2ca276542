// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kerb::board {

/// Writes a model whose answer is known: it takes whatever is full of edges, as the numbered frames
/// are, for people, and a plain picture for nobody. Throws BoardError.
void write_model(const std::string& path);

}  // namespace kerb::board
