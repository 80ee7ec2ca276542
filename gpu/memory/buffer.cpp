// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/buffer.hpp"

namespace kerb {

Result<MemoryOwner> MemoryOwner::create(const MemoryPlan& plan, std::size_t count,
                                        std::size_t size) {
  if (count == 0 || count > std::numeric_limits<std::size_t>::max() / 2 / size)
    return Error{Errc::invalid_argument, 0, "allocate memory",
                 "nothing, or more than there can be"};
  Result<runtime::Block> block = runtime::take(plan, count * size);
  if (!block) return block.error();
  MemoryOwner owner;
  owner.block_ = *block;
  return owner;
}

}  // namespace kerb
