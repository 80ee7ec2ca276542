// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/splitmix.hpp"

namespace kerb::test {

using Random = SplitMix64;

}  // namespace kerb::test
